import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionReport } from '../session/session-report.ts';
import type { Outcome } from './fact.ts';
import { liftSessionCodes, recordedOutcome, recordedWorkplace, sentRecord } from './lift-codes.ts';
import { liftFact } from './lift-fact.ts';

const old = { code: 'E_TIMEOUT', message: 'too slow' };
const now = { code: 'timeout', message: 'too slow' };
const attempts = (told: object) => [
  { agent: 'a', ...told },
  { agent: 'b', ...told, code: null },
];
const there = (outcome: object) => ({ kind: 'worktree', folder: 'f', elsewhere: { node: 'n', outcome } });

/** Each fact with a code, as version 5 stored it and as it is read. */
const FACTS: readonly (readonly [stored: object, read: object])[] = [
  [
    { kind: 'unanswered', ...old },
    { kind: 'unanswered', ...now },
  ],
  [
    { kind: 'unanswered', message: '' },
    { kind: 'unanswered', message: '' },
  ],
  [
    { kind: 'ended', end: { kind: 'failed', ...old, claim: old } },
    { kind: 'ended', end: { kind: 'failed', ...now, claim: now } },
  ],
  [
    { kind: 'ended', end: { kind: 'finished', claim: null } },
    { kind: 'ended', end: { kind: 'finished', claim: null } },
  ],
  [
    { kind: 'ended', end: { kind: 'lost' } },
    { kind: 'ended', end: { kind: 'lost' } },
  ],
  [
    { kind: 'stop-requested', by: 'baton', why: old },
    { kind: 'stop-requested', by: 'baton', why: now },
  ],
  [
    { kind: 'stop-requested', by: 'operator' },
    { kind: 'stop-requested', by: 'operator' },
  ],
  [
    { kind: 'settled', outcome: { ...old, attempts: attempts(old) } },
    { kind: 'settled', outcome: { ...now, attempts: attempts(now) } },
  ],
  [
    { kind: 'settled', outcome: { code: null, attempts: [] } },
    { kind: 'settled', outcome: { code: null, attempts: [] } },
  ],
  [
    { kind: 'settled', outcome: { code: 'no_route', attempts: [] } },
    { kind: 'settled', outcome: { code: 'no_route', attempts: [] } },
  ],
  [
    { kind: 'answered', answer: old },
    { kind: 'answered', answer: now },
  ],
  [
    { kind: 'snapshotted', workplace: there(old) },
    { kind: 'snapshotted', workplace: there(now) },
  ],
  [
    { kind: 'snapshotted', workplace: { kind: 'in-place' } },
    { kind: 'snapshotted', workplace: { kind: 'in-place' } },
  ],
  [
    { kind: 'reported', report: { ...old, attempts: attempts(old), claim: old } },
    { kind: 'reported', report: { ...now, attempts: attempts(now), claim: now } },
  ],
  // Warnings and texts are what people and programs were told.
  [
    { kind: 'admitted', warnings: [old] },
    { kind: 'admitted', warnings: [old] },
  ],
];

for (const [stored, read] of FACTS) {
  test(`a fact of version 5 is read with the codes of today: ${JSON.stringify(stored)}`, () => {
    assert.deepEqual(liftFact({ ...stored, v: 5 } as { readonly v: number }), read);
    assert.deepEqual(liftFact({ ...read, v: 6 } as { readonly v: number }), read);
  });
}

test('the report of a session of version 2 is read with the codes of today', () => {
  const members = [
    { id: 'a', end: old },
    { id: 'b', end: null },
  ] as unknown as SessionReport['members'];
  const lifted = liftSessionCodes({ members } as SessionReport);
  assert.deepEqual(lifted.members, [
    { id: 'a', end: now },
    { id: 'b', end: null },
  ]);
});

test('events and the records that travel have the codes of records', () => {
  const outcome = { verdict: 'failed', ...now, attempts: attempts(now) } as unknown as Outcome;
  const told = { verdict: 'failed', ...old, attempts: attempts(old) };
  assert.equal(JSON.stringify(recordedOutcome(outcome)), JSON.stringify(told));
  assert.deepEqual(recordedWorkplace(there(now) as never), there(old));
  const record = { version: 1, ended: { at: 1, end: { kind: 'failed', ...now, claim: now } }, outcome };
  const sent = { version: 1, ended: { at: 1, end: { kind: 'failed', ...old, claim: old } }, outcome: told };
  assert.equal(JSON.stringify(sentRecord(record as never)), JSON.stringify(sent));
});
