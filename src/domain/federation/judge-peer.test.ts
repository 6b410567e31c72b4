import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeLife, judgeStanding, measureLag, silenceMs } from './judge-peer.ts';

test('a node is alive by the age of its record, silent after 60 s, dead after 90 s, and has left when it says so', () => {
  assert.equal(judgeLife({ status: 'active', ageMs: 59_999 }), 'alive');
  assert.equal(judgeLife({ status: 'active', ageMs: 60_000 }), 'silent');
  assert.equal(judgeLife({ status: 'active', ageMs: 90_000 }), 'dead');
  assert.equal(judgeLife({ status: 'dead', ageMs: 0 }), 'dead');
  assert.equal(judgeLife({ status: 'left', ageMs: 0 }), 'left');
  assert.equal(judgeLife(null), 'unseen');
});

test('the time in which nobody could write to the store is no silence of anybody', () => {
  assert.equal(silenceMs(70_000, null), 70_000);
  const absence = { lastedMs: 600_000, sinceMs: 5_000 };
  assert.equal(silenceMs(4_000, absence), 4_000, 'it has lived since');
  assert.equal(silenceMs(625_000, absence), 25_000, 'its last heartbeat was 20 s before the store went away');
  assert.equal(silenceMs(400_000, absence), 5_000, 'the store was away for this node alone');
  assert.equal(silenceMs(695_000, absence), 95_000, 'it had been silent before');
});

const KNOWN = { trust: 'known', pinnedKey: 'k', shownKey: 'k', isTrustNeeded: false } as const;

test('what is accepted of a node follows from its trust, its keys and the rule of this node', () => {
  assert.equal(judgeStanding(KNOWN), 'accepted');
  assert.equal(judgeStanding({ ...KNOWN, isTrustNeeded: true }), 'asks');
  assert.equal(judgeStanding({ ...KNOWN, isTrustNeeded: true, trust: 'trusted' }), 'accepted');
  assert.equal(judgeStanding({ ...KNOWN, shownKey: 'other' }), 'other-key');
  assert.equal(judgeStanding({ ...KNOWN, trust: 'trusted', shownKey: 'other' }), 'other-key');
  assert.equal(judgeStanding({ ...KNOWN, trust: 'removed', shownKey: 'other', isTrustNeeded: true }), 'removed');
  assert.equal(judgeStanding({ ...KNOWN, pinnedKey: null }), 'accepted');
  assert.equal(judgeStanding({ ...KNOWN, shownKey: null }), 'accepted');
});

test('the lag of a reader counts up to the end, and is nothing once it has the last event for it', () => {
  const end = { epoch: 'e1', seq: 10, frame: 7 };
  assert.equal(measureLag({ end, cursor: null }), 10);
  assert.equal(measureLag({ end, cursor: { epoch: 'e1', lastSeq: 4 } }), 6);
  assert.equal(measureLag({ end, cursor: { epoch: 'e1', lastSeq: 7 } }), 0);
  assert.equal(measureLag({ end, cursor: { epoch: 'e0', lastSeq: 9 } }), 10);
  assert.equal(measureLag({ end: { ...end, frame: 0 }, cursor: null }), 0);
  assert.equal(measureLag({ end, cursor: { epoch: 'e1', lastSeq: 99 } }), 0);
});
