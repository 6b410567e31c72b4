import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskLife } from '../../../../test/support/task/task-life.ts';
import { TestTimer } from '../../../../test/support/test-timer.ts';
import { EventFeed } from './event-feed.ts';
import type { FrameBatch } from './event-frame.ts';

test('every reader is given the same events, from the moment when it joins', async () => {
  const life = await TaskLife.open();
  const timer = new TestTimer();
  const feed = new EventFeed({ ledger: life.at.ledger, timer, onFault: assert.ifError });
  const batches: FrameBatch[][] = [[], [], []];
  const join = (at: number) =>
    feed.join({ take: (batch) => void batches[at]?.push(batch), beat: () => {}, end: () => {} });
  const create = async () => {
    await life.create();
    timer.fire();
    await timer.breathe();
    await timer.breathe();
  };
  join(0);
  join(1);
  await create();
  join(2);
  await create();
  const [first = [], second, third] = batches;
  assert.equal(first.length, 2);
  assert.deepEqual(second, first);
  assert.deepEqual(third, first.slice(1));
  feed.close();
});
