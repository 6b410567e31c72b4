import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderStop } from './order-stop.ts';

const SPARING = { kind: 'stop', by: 'dispatcher', sparesAnswer: true } as const;
const BY_HAND = { kind: 'stop', by: 'operator' } as const;

test('a stop that spares answers ends no checks, whether it comes before or during them', async () => {
  const before = new OrderStop();
  before.abort(SPARING);
  assert.equal(before.either.aborted, true);
  assert.equal(await before.duringChecks(async (signal) => signal.aborted), false);
  const meanwhile = new OrderStop();
  const isEnded = await meanwhile.duringChecks(async (signal) => {
    meanwhile.abort(SPARING);
    return signal.aborted;
  });
  assert.equal(isEnded, false);
  meanwhile.abort(SPARING);
  assert.equal(meanwhile.either.aborted, true, 'the checks are over');
});

test('every other stop ends checks, also after one that spares answers', async () => {
  const stop = new OrderStop();
  stop.abort(SPARING);
  stop.abort(BY_HAND);
  assert.equal(await stop.duringChecks(async (signal) => signal.reason), BY_HAND);
  const during = new OrderStop();
  during.abort(SPARING);
  const reason = await during.duringChecks(async (signal) => {
    during.abort(BY_HAND);
    return signal.reason;
  });
  assert.equal(reason, BY_HAND);
});

test('a run that was spared hears of the stop that follows', () => {
  const stop = new OrderStop();
  const { stop: signal, sparing } = stop.signals;
  const heard: string[] = [];
  signal.addEventListener('abort', () => heard.push('stop'));
  sparing.addEventListener('abort', () => heard.push('sparing'));
  stop.abort(SPARING);
  stop.abort({ kind: 'loss' });
  stop.abort(BY_HAND);
  assert.deepEqual(heard, ['sparing', 'stop']);
  assert.deepEqual(signal.reason, { kind: 'loss' }, 'the first reason counts');
});
