import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ForgedResult, type ResultParts } from '../../../test/support/forged-result.ts';
import { taken } from '../../../test/support/taken.ts';
import { filesBelow, TestRepository } from '../../../test/support/test-repository.ts';
import { TravelNode, TravelStage } from '../../../test/support/travel-stage.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { Parcel } from '../../workspace/travel/parcel.ts';

const stage = await TravelStage.open();
const { client, ledger } = stage.sender.node;
const stranger = await TravelNode.open('stranger', { isSender: true });

const COMMIT = 'git add -A && git -c user.name=agent -c user.email=agent@x commit -q -m';
const SCRIPT = `echo changed > readme.md && ${COMMIT} mine && echo out > out.txt`;
const repository = new TestRepository();
repository.write('kept', 'kept\n');
repository.commit('kept');
repository.write('dirty', 'dirty\n');

function travel(objective = SCRIPT) {
  const outputs = [{ type: 'FILE', path: 'out.txt', description: 'it' }];
  return stage.there(repository.root, 'runs-a-script', { task: { objective, expected_outputs: outputs } });
}

const journey = await travel();
const other = await travel(`${SCRIPT} && echo other > other.txt`);
const forged = new ForgedResult(stage, journey);
const node = stage.receiver.dataFolder;

/** Everything here that an import could change. */
function stateHere() {
  const counts = ['events', 'run_facts', 'agent_logs', 'points', 'runs'].map((table) =>
    ledger.read.tuple(`SELECT count(*) FROM ${table}`),
  );
  const { dataFolder } = stage.sender;
  const kept = filesBelow(join(dataFolder, 'shadows'), '', /^$/);
  const stable = Object.entries(kept).filter(
    ([path]) => !/(index|read-at|index-state\.json|travel-shallow|made-for|info\/\w+|intake.*)$/.test(path),
  );
  const folders = readdirSync(dataFolder).filter((name) => !/sqlite|events|node/.test(name));
  return { counts, shadows: Object.fromEntries(stable), folders, files: repository.fingerprint() };
}

async function assertRefused(result: Parcel | unknown, reason: RegExp, more: object = {}): Promise<void> {
  const before = stateHere();
  const answer = await stage.import({ ...journey, result: result as Parcel }, more);
  assert.ok(isRefusal(answer), JSON.stringify(answer));
  assert.match(answer.message, reason);
  assert.deepEqual(stateHere(), before);
}

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
    await assertRefused(forged.made(change as (parts: ResultParts) => void), reason);
  });
}

test('the result of another task is refused, also with its receipt and record', async () => {
  await assertRefused(other.result, /other work/);
  const theirs = new ForgedResult(stage, other);
  await assertRefused(
    theirs.made((parts) => Object.assign(parts, { fields: { about: journey.result.about } })),
    /other work|missing/,
  );
  const stolen = forged.made((parts) => Object.assign(parts, { receipt: theirs.parts.receipt }));
  await assertRefused(stolen, /receipt is about/);
});

test('a parcel that this task was not sent in, and a node that did not sign, are refused', async () => {
  await assertRefused(journey.result, /was not sent in this parcel/, { sent: other.sent });
  await assertRefused(journey.result, /another key/, { publicKey: stranger.publicKey });
  await assertRefused({ ...journey.result, blobs: [] }, /blobs/);
  await assertRefused('x', /JSON object/);
});

test('a blob with other bytes, and one that is gone, are waited for', async () => {
  const [first] = journey.result.blobs;
  const bytes = stage.blobs.stored.get(first?.sha256 ?? '') ?? Buffer.alloc(0);
  for (const wrong of [Buffer.from('other'), null]) {
    if (wrong) stage.blobs.stored.set(first?.sha256 ?? '', wrong);
    else stage.blobs.stored.delete(first?.sha256 ?? '');
    await assertRefused(journey.result, /parts of the parcel are not there/);
  }
  stage.blobs.stored.set(first?.sha256 ?? '', bytes);
});

test('messages that are none, of runs that are none, and a log of somebody else do no harm', async () => {
  const journeyTo = await travel();
  const harmless = new ForgedResult(stage, journeyTo);
  const run = harmless.parts.record.run;
  const turn = (index: number) =>
    JSON.stringify({
      ...{ turn_index: index, agent_id: 'developer', role: 'developer' },
      content: { thought: 'ok', action: 'x', observation: 'y' },
      metadata: {
        version: '1.0.0',
        task_id: 'T',
        timestamp: '2026-01-01T00:00:00Z',
        confidence: 1,
        estimated_complexity: 'low',
      },
    });
  const message = (text: string, of = run) => ({ kind: 'message', run: of, message: text, lines: [] }) as const;
  const log = [
    '\u001e{"kind":"weird","text":5}',
    '\u001e{"kind":"run","id":"run_x","name":{"a":1}}',
    '\u001enot json',
    '\u001b[2Jescape',
    `\u001e{"kind":"run","id":"${run}","name":"there"}`,
    'the end',
  ].join('\n');
  const result = harmless.made((parts) => {
    const steps = [
      message('garbage'),
      message('{"a":1}'),
      message(turn(0)),
      message(turn(0)),
      message(turn(1), 'run_unknown'),
    ];
    Object.assign(parts, { record: { ...parts.record, steps }, log: Buffer.from(log) });
  });
  const imported = taken(await stage.import({ ...journeyTo, result }));
  assert.ok(imported.isNew);
  const { entries } = taken(await client.readTrace({ task: journeyTo.task }));
  assert.equal(entries.filter(({ type }) => type === 'TURN').length, 1);
  const page = taken(await client.readLog({ task: journeyTo.task }));
  assert.match(page.text, /the end/);
  assert.deepEqual(
    page.entries.filter(({ kind }) => kind === 'run').map(({ name }) => name),
    ['emma@tower'],
  );
});

test('after all of that the result itself is taken in', async () => {
  assert.ok(taken(await stage.import(journey)).isNew);
  const late = await stage.import({
    ...journey,
    result: forged.made((parts) => Object.assign(parts, { fields: { state: journey.result.beside } })),
  });
  assert.ok(isRefusal(late), 'another result for the same work comes too late');
});
