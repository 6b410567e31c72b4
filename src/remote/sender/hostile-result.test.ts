import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResultParts } from '../../../test/support/remote/forged-result.ts';
import { HostileResults } from '../../../test/support/remote/hostile-results.ts';
import { taken } from '../../../test/support/taken.ts';
import { isRefusal } from '../../domain/refusal.ts';

const hostile = await HostileResults.open();
const { stage, stranger, journey, other, forged } = hostile;
const node = stage.receiver.dataFolder;

type Open<Value> = { -readonly [Name in keyof Value]: Value[Name] };
type OpenRecord = Omit<Open<ResultParts['record']>, 'states'> & { states: Open<ResultParts['record']['states']> };
type OpenParts = Omit<ResultParts, 'record' | 'receipt'> & {
  record: OpenRecord;
  receipt: Open<ResultParts['receipt']>;
};
type Change = (parts: OpenParts) => void;

/** The work with another file than the receipt is about. */
const swapped = (parent = forged.parts.record.states.before) =>
  forged.commitOf(forged.withFile(forged.parts.record.states.after, 'out.txt', 'swapped\n'), parent);

const CHANGES: readonly (readonly [why: string, change: Change, reason: RegExp])[] = [
  [
    'says that it was checked, and was not',
    ({ record }) => (record.outcome = { ...record.outcome, verdict: 'unchecked' }),
    /another verdict/,
  ],
  [
    'has checks that did not pass',
    ({ record }) => (record.checksAfter = record.checksAfter?.map((one) => ({ ...one, result: 'failed' })) ?? null),
    /other checks/,
  ],
  [
    'has another check than was signed',
    ({ record }) => (record.checksAfter = record.checksAfter?.map((one) => ({ ...one, id: 'check true' })) ?? null),
    /other checks/,
  ],
  ['has fewer checks than were signed', ({ record }) => (record.checksAfter = []), /other checks/],
  ['names another run', ({ record }) => (record.run = 'run_01ARZ3NDEKTSV4RRFFQ69G5FAV'), /another run/],
  ['names another task', ({ record }) => (record.task = 'TASK-2026-02-09-999'), /another task/],
  ['is of another parcel', ({ record }) => (record.parcel = 'a'.repeat(64)), /other work/],
  ['has other files than were signed', ({ record }) => (record.states.after = swapped()), /files after another work/],
  [
    'has other files than their hashes',
    (parts) => {
      parts.record.states.after = swapped();
      parts.receipt.commitAfter = parts.record.states.after;
      parts.signedIn = node;
    },
    /other files: "out\.txt" differs/,
  ],
  ['is signed by another node', (parts) => (parts.signedIn = stranger.dataFolder), /signed by another key/],
  ['has a receipt that somebody changed', ({ receipt }) => (receipt.agent = 'somebody else'), /receipt is broken/],
  [
    'has no receipt of its own parcel',
    (parts) => {
      delete parts.receipt.parcel;
      parts.signedIn = node;
    },
    /receipt is about other work/,
  ],
  ['began at another commit', ({ record }) => (record.states.head = forged.commitOf(forged.tree())), /another commit/],
  [
    'began with other files',
    (parts) => {
      const { states } = parts.record;
      states.before = forged.commitOf(
        forged.withFile(states.before, 'kept', 'not as it was sent\n'),
        states.head ?? '',
      );
      parts.receipt.commitBefore = states.before;
      parts.signedIn = node;
    },
    /other files than were sent, such as kept/,
  ],
  [
    'brings a hook',
    (parts) => {
      const hook = forged.tree([
        '40000',
        'hooks',
        forged.tree(['100755', 'post-checkout', forged.blob('#!/bin/sh\n')]),
      ]);
      parts.record.states.after = forged.commitOf(forged.tree(['40000', '.git', hook]));
      parts.receipt.commitAfter = parts.record.states.after;
      parts.signedIn = node;
    },
    /\.git.*not allowed/,
  ],
  [
    'brings a folder behind a link',
    (parts) => {
      const tree = forged.tree(
        ['120000', 'A', forged.blob('/tmp')],
        ['40000', 'a', forged.tree(['100644', 'x', forged.blob('x')])],
      );
      parts.record.states.after = forged.commitOf(tree);
      parts.receipt.commitAfter = parts.record.states.after;
      parts.signedIn = node;
    },
    /not allowed/,
  ],
  [
    'brings a path out of the workspace in a commit of the agent',
    ({ record }) => {
      const tree = forged.tree(['100644', '../../x', forged.blob('x')]);
      record.ownCommits = { tip: forged.commitOf(tree, record.states.head ?? ''), count: 1 };
    },
    /not allowed/,
  ],
  [
    'has commits of an agent that do not follow',
    ({ record }) => (record.ownCommits = { tip: forged.commitOf(forged.tree()), count: 1 }),
    /do not follow|not all there/,
  ],
  [
    'has another number of commits',
    ({ record }) => (record.ownCommits = { tip: record.ownCommits?.tip ?? '', count: 2 }),
    /do not follow/,
  ],
  [
    'has a state in the middle that is not there',
    ({ record }) =>
      (record.steps = [
        {
          kind: 'state',
          run: null,
          point: 'turn',
          turnIndex: 0,
          commit: 'a'.repeat(40),
          files: { added: 0, changed: 0, removed: 0 },
        },
      ]),
    /no commit|missing/,
  ],
  ['has a record that is no JSON', (parts) => (parts.recordText = '{'), /no record/],
  [
    'has a record with a key twice',
    (parts) => (parts.recordText = JSON.stringify(parts.record).replace('{"version":1', '{"version":1,"version":1')),
    /no record/,
  ],
  [
    'has a record of another form',
    (parts) =>
      (parts.recordText = JSON.stringify({
        ...parts.record,
        ended: { ...parts.record.ended, spend: { ...parts.record.ended.spend, costUsd: -1 } },
      })),
    /spend\/costUsd/,
  ],
  [
    'costs more than there is',
    (parts) =>
      (parts.recordText = JSON.stringify({
        ...parts.record,
        ended: { ...parts.record.ended, spend: { ...parts.record.ended.spend, costUsd: 1e300 } },
      })),
    /spend\/costUsd/,
  ],
  [
    'has an option as a commit',
    (parts) =>
      (parts.recordText = JSON.stringify({
        ...parts.record,
        states: { ...parts.record.states, after: '--output=/tmp/x' },
      })),
    /states\/after/,
  ],
  [
    'has an option as the name of a run',
    (parts) => (parts.recordText = JSON.stringify({ ...parts.record, run: '../../x' })),
    /\/run/,
  ],
  [
    'lacks one of its files',
    (parts) => (parts.without = [forged.git('rev-parse', `${parts.record.states.after}:out.txt`)]),
    /missing/,
  ],
  ['answers other work', (parts) => (parts.fields = { about: other.result.about }), /other work/],
  ['says that it is work itself', (parts) => (parts.fields = { holds: 'work' }), /holds/],
  [
    'has objects with other names',
    (parts) =>
      (parts.fields = {
        objectFormat: 'sha256',
        baseCommit: null,
        state: 'a'.repeat(64),
        beside: 'a'.repeat(64),
        needs: [],
      }),
    /other names/,
  ],
];

for (const [why, change, reason] of CHANGES) {
  test(`a result is refused that ${why}, and nothing changes`, async () => {
    await hostile.assertRefused(forged.made(change as (parts: ResultParts) => void), reason);
  });
}

test('after all of that the result itself is taken in', async () => {
  assert.ok(taken(await stage.import(journey)).isNew);
  const late = await stage.import({
    ...journey,
    result: forged.made((parts) => Object.assign(parts, { fields: { state: journey.result.beside } })),
  });
  assert.ok(isRefusal(late), 'another result for the same work comes too late');
});
