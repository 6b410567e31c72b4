import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskLife } from '../../test/support/task-life.ts';
import { TestTimer } from '../../test/support/test-timer.ts';
import { HEARTBEAT_TTL_MS, RECOVERY_SWEEP_MS } from '../domain/limits.ts';
import { RecoverySweep } from './recovery-sweep.ts';

async function sweeping() {
  const life = await TaskLife.open();
  const { id } = await life.claimed();
  const { ledger, clock } = life.at;
  const sweep = new RecoverySweep({ ledger, clock, timer: new TestTimer(), log: { log: () => {} } });
  /** So long, with a turn as often as there is to be one. */
  const pass = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += RECOVERY_SWEEP_MS) {
      clock.step(RECOVERY_SWEEP_MS);
      await sweep.tick();
    }
  };
  await sweep.tick();
  return { life, id, sweep, pass };
}

test('a run whose heart stopped is closed when its time is over', async () => {
  const { life, id, pass } = await sweeping();
  await pass(HEARTBEAT_TTL_MS - RECOVERY_SWEEP_MS);
  assert.equal(life.status(id), 'in-progress');
  await pass(RECOVERY_SWEEP_MS);
  assert.equal(life.status(id), 'ready');
});

test('a node that stood still does not take who could not beat for dead', async () => {
  const { life, id, sweep, pass } = await sweeping();
  life.at.clock.step(10 * HEARTBEAT_TTL_MS);
  await sweep.tick();
  assert.equal(life.status(id), 'in-progress');
  await life.beat(id);
  await pass(5 * RECOVERY_SWEEP_MS);
  assert.equal(life.status(id), 'in-progress');
});

test('who does not beat after it either is dead', async () => {
  const { life, id, sweep, pass } = await sweeping();
  life.at.clock.step(10 * HEARTBEAT_TTL_MS);
  await sweep.tick();
  await pass(5 * RECOVERY_SWEEP_MS);
  assert.equal(life.status(id), 'ready');
});
