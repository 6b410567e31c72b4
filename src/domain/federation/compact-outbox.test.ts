import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compactionMark } from './compact-outbox.ts';

const facts = { readers: [], lastOldSeq: 90, lastSeq: 100, firstWaitingSeq: null };
const reader = (seq: number, isActive = true) => ({ seq, isActive });

test('events go up to the lowest place of an active reader', () => {
  assert.equal(compactionMark({ ...facts, readers: [reader(50), reader(70)] }), 50);
});

test('a reader whose lease has expired holds nothing back', () => {
  assert.equal(compactionMark({ ...facts, readers: [reader(10, false), reader(70)] }), 70);
});

test('young events stay, whoever has them', () => {
  assert.equal(compactionMark({ ...facts, readers: [reader(100)] }), 90);
});

test('an event that somebody has not accepted stays, with all after it', () => {
  assert.equal(compactionMark({ ...facts, firstWaitingSeq: 31 }), 30);
});

test('the newest event stays', () => {
  assert.equal(compactionMark({ ...facts, lastOldSeq: 100 }), 99);
  assert.equal(compactionMark({ readers: [], lastOldSeq: 0, lastSeq: 0, firstWaitingSeq: null }), 0);
});
