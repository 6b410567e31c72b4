import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../test/support/test-clock.ts';
import { MIRROR_PAUSES_MAX, MIRROR_SLICE_MS, MIRROR_STAND_BACK_MS } from '../domain/limits.ts';
import { WorkSlice } from './work-slice.ts';

/** A rest each pause of which ends this late; others are busy until so many pauses are over. */
async function pausesOfARest(lateMs: number, busyUntil = Number.POSITIVE_INFINITY): Promise<number> {
  const clock = new TestClock();
  let pauses = 0;
  const slice = new WorkSlice({
    clock,
    timer: {
      breathe: () => assert.fail('others are busy'),
      pause: async () => {
        pauses++;
        clock.step(MIRROR_STAND_BACK_MS + lateMs);
      },
      after: () => () => {},
    },
    isBusy: () => pauses < busyUntil,
  });
  await slice.rest();
  assert.equal(slice.isOver, false);
  return pauses;
}

test('while others are busy now and then, the mirror goes on after one pause', async () => {
  assert.equal(await pausesOfARest(0), 1);
  assert.equal(await pausesOfARest(MIRROR_SLICE_MS - 1), 1);
});

test('while answers need the whole thread, the mirror pauses again, up to a limit', async () => {
  assert.equal(await pausesOfARest(MIRROR_SLICE_MS), MIRROR_PAUSES_MAX);
  assert.equal(await pausesOfARest(MIRROR_SLICE_MS, 3), 3);
});
