import assert from 'node:assert/strict';
import { test } from 'node:test';
import { liftSessionFact, type SessionFact, storedSessionFact } from './session.ts';

test('a session fact of version 1 is lifted to the kernel’s own verdicts', () => {
  const members = [
    { id: 'a', end: { signal: 'PARTIAL_SUCCESS', isUnchecked: true, code: null } },
    { id: 'b', end: { signal: 'ABORTED', isUnchecked: false, isSkipped: true } },
    { id: 'c', end: null },
  ];
  const old = { v: 1, kind: 'reported', report: { sessionId: 'S', signal: 'ABORTED', members } };
  assert.deepEqual(liftSessionFact(old), {
    kind: 'reported',
    report: {
      sessionId: 'S',
      verdict: 'aborted',
      members: [
        { id: 'a', end: { verdict: 'unchecked', code: null } },
        { id: 'b', end: { verdict: 'aborted', isSkipped: true } },
        { id: 'c', end: null },
      ],
    },
  });
});

test('a session fact of this version is read as it was written, one of a newer Baton is not', () => {
  const fact = {
    kind: 'reported',
    report: { sessionId: 'S', verdict: 'checked', members: [] },
  } as unknown as SessionFact;
  assert.deepEqual(liftSessionFact(storedSessionFact(fact)), fact);
  assert.throws(() => liftSessionFact({ ...fact, v: 99 }), /newer Baton/);
});
