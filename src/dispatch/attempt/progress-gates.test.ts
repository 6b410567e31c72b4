import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../../test/support/test-clock.ts';
import { TestTimer } from '../../../test/support/test-timer.ts';
import type { ProgressSignal } from '../../domain/agent/agent-signal.ts';
import { BeatGate, ProgressGate } from './progress-gates.ts';

function update(percentage: number): ProgressSignal {
  const nothing = { phase: null, checkpoint: null, text: '', remainingSeconds: null };
  return { kind: 'progress', percentage, ...nothing, isForSender: true };
}

function aGate() {
  const clock = new TestClock();
  const timer = new TestTimer();
  const sent: number[] = [];
  const gate = new ProgressGate({ clock, timer, send: ({ percentage }) => void sent.push(percentage ?? 0) });
  return { clock, timer, sent, gate };
}

test('the first goes out at once; of those within 30 seconds only the last, when the time has come', () => {
  const { clock, timer, sent, gate } = aGate();
  gate.take(update(1));
  assert.deepEqual(sent, [1]);
  clock.step(10_000);
  gate.take(update(2));
  gate.take(update(3));
  assert.deepEqual([sent, timer.waits], [[1], [20_000]]);
  clock.step(20_000);
  timer.fire();
  assert.deepEqual([sent, timer.waits], [[1, 3], []]);
  clock.step(30_000);
  gate.take(update(4));
  assert.deepEqual(sent, [1, 3, 4]);
});

test('progress held back at the end of a run goes out with it, once, and the next run waits from then on', () => {
  const { clock, timer, sent, gate } = aGate();
  gate.take(update(1));
  gate.take(update(2));
  clock.step(5_000);
  gate.end();
  assert.deepEqual([sent, timer.waits], [[1, 2], []]);
  gate.end();
  clock.step(5_000);
  gate.take(update(3));
  assert.deepEqual([sent, timer.waits], [[1, 2], [25_000]]);
});

test('a wall clock that is set back does not delay progress', () => {
  const { clock, sent, gate } = aGate();
  gate.take(update(1));
  clock.jumpWall(-86_400_000);
  clock.step(30_000);
  gate.take(update(2));
  assert.deepEqual(sent, [1, 2]);
});

test('signs of life are one beat an interval, and silence is none', () => {
  const clock = new TestClock();
  let beats = 0;
  const gate = new BeatGate(clock, 10_000, () => beats++);
  for (const [waitMs, sent] of [
    [0, 1],
    [9_999, 1],
    [1, 2],
    [60_000, 3],
    [0, 3],
  ] as const) {
    clock.step(waitMs);
    gate.take();
    assert.equal(beats, sent);
  }
});
