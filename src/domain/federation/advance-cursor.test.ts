import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advanceCursor, type Cursor, passGap, reachEnd } from './advance-cursor.ts';

const at = (lastFrame: number, lastSeq = lastFrame, epoch = 'e2'): Cursor => ({ epoch, lastSeq, lastFrame });
const frame = (seq: number, prev: number, epoch = 'e2') => ({ epoch, seq, prev });

const VERDICTS: readonly (readonly [what: string, cursor: Cursor | null, ReturnType<typeof frame>, verdict: object])[] =
  [
    ['the first frame of all', null, frame(1, 0), { kind: 'take', cursor: at(1) }],
    ['a first frame that is not the first event', null, frame(7, 0), { kind: 'take', cursor: at(7) }],
    ['a frame whose earlier one is missing', null, frame(7, 3), { kind: 'hold', missing: { first: 1, last: 3 } }],
    ['the next frame', at(4), frame(5, 4), { kind: 'take', cursor: at(5) }],
    ['the next frame after events for others', at(4), frame(9, 4), { kind: 'take', cursor: at(9) }],
    ['a frame whose earlier one the source has forgotten', at(4), frame(9, 0), { kind: 'take', cursor: at(9) }],
    ['a frame behind the end that was told', at(4, 8), frame(9, 4), { kind: 'take', cursor: at(9) }],
    ['a frame behind a hole', at(4), frame(9, 6), { kind: 'hold', missing: { first: 5, last: 6 } }],
    ['a frame that came before', at(4), frame(4, 3), { kind: 'repeat' }],
    ['a frame that was given up on', at(14), frame(12, 11), { kind: 'late' }],
    ['a frame of a new epoch', at(40), frame(1, 0, 'e3'), { kind: 'take', cursor: at(1, 1, 'e3') }],
    ['a later frame of a new epoch', at(40), frame(3, 2, 'e3'), { kind: 'hold', missing: { first: 1, last: 2 } }],
    ['a frame of an earlier epoch', at(4), frame(50, 4, 'e1'), { kind: 'stale' }],
    ['a frame without an epoch', at(4), frame(5, 4, ''), { kind: 'stale' }],
    ['a frame that follows itself', at(4), frame(5, 5), { kind: 'stale' }],
    ['a frame without a seq', at(4), frame(0, 0), { kind: 'stale' }],
  ];

for (const [what, cursor, place, verdict] of VERDICTS) {
  test(`${what} is judged by its place`, () => {
    assert.deepEqual(advanceCursor(cursor, place, [{ first: 11, last: 13 }]), verdict);
  });
}

test('a cursor follows the end of the outbox unless a frame is missing', () => {
  assert.deepEqual(reachEnd(at(4), { epoch: 'e2', seq: 9, frame: 4 }), { kind: 'move', cursor: at(4, 9) });
  assert.deepEqual(reachEnd(at(4, 9), { epoch: 'e2', seq: 9, frame: 4 }), { kind: 'stay' });
  assert.deepEqual(reachEnd(at(4), { epoch: 'e2', seq: 9, frame: 6 }), {
    kind: 'hold',
    missing: { first: 5, last: 6 },
  });
  assert.deepEqual(reachEnd(at(4), { epoch: 'e1', seq: 90, frame: 90 }), { kind: 'stay' });
  assert.deepEqual(reachEnd(at(4), { epoch: 'e3', seq: 2, frame: 0 }), { kind: 'move', cursor: at(0, 2, 'e3') });
  assert.deepEqual(reachEnd(null, { epoch: 'e3', seq: 2, frame: 0 }), { kind: 'move', cursor: at(0, 2, 'e3') });
});

test('a gap blocks until its time is over, and then its policy decides', () => {
  const gap = { epoch: 'e2', missing: { first: 5, last: 7 } };
  const after = (waitedMs: number, policy: 'tombstone' | 'skip' | 'halt') =>
    passGap({ ...gap, waitedMs }, { policy, timeoutMs: 30_000 });
  assert.deepEqual(after(29_999, 'tombstone'), { kind: 'wait' });
  assert.deepEqual(after(30_000, 'tombstone'), { kind: 'pass', cursor: at(7), isRecorded: true });
  assert.deepEqual(after(30_000, 'skip'), { kind: 'pass', cursor: at(7), isRecorded: false });
  assert.deepEqual(after(86_400_000, 'halt'), { kind: 'halt' });
});
