import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskLife } from '../../test/support/task/task-life.ts';
import { TestTimer } from '../../test/support/test-timer.ts';
import { HEARTBEAT_TTL_MS, RECOVERY_SWEEP_MS } from '../domain/limits.ts';
import { selectEventsThat } from '../ledger/statements/events.ts';
import { RecoverySweep } from './recovery-sweep.ts';

async function sweeping() {
  const life = await TaskLife.open();
  const { id } = await life.claimed();
  const { ledger, clock } = life.at;
  let asleep = 0;
  const sweep = new RecoverySweep({
    ledger,
    clock,
    timer: new TestTimer(),
    log: { log: () => {} },
    asleepMs: () => asleep,
  });
  /** Advances the clock by this time, with a tick at every interval. */
  const pass = async (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += RECOVERY_SWEEP_MS) {
      clock.step(RECOVERY_SWEEP_MS);
      await sweep.tick();
    }
  };
  await sweep.tick();
  const sleep = (ms: number) => (asleep += ms);
  return { life, id, sweep, pass, sleep };
}

test('a run without a heartbeat is ended when its lease expires', async () => {
  const { life, id, pass } = await sweeping();
  await pass(HEARTBEAT_TTL_MS - RECOVERY_SWEEP_MS);
  assert.equal(life.status(id), 'in-progress');
  await pass(RECOVERY_SWEEP_MS);
  assert.equal(life.status(id), 'ready');
});

test('after a suspension, the first tick ends no run', async () => {
  const { life, id, sweep, pass } = await sweeping();
  life.at.clock.step(10 * HEARTBEAT_TTL_MS);
  await sweep.tick();
  assert.equal(life.status(id), 'in-progress');
  await life.beat(id);
  await pass(5 * RECOVERY_SWEEP_MS);
  assert.equal(life.status(id), 'in-progress');
});

test('a run that stays silent after a suspension is ended', async () => {
  const { life, id, sweep, pass } = await sweeping();
  life.at.clock.step(10 * HEARTBEAT_TTL_MS);
  await sweep.tick();
  await pass(5 * RECOVERY_SWEEP_MS);
  assert.equal(life.status(id), 'ready');
});

test('a sleep of the machine is an event with its length, once, and ends no run', async () => {
  const { life, id, sweep, pass, sleep } = await sweeping();
  sleep(7 * 3_600_000 + 12 * 60_000);
  await sweep.tick();
  await pass(RECOVERY_SWEEP_MS);
  sleep(2_000);
  await pass(RECOVERY_SWEEP_MS);
  assert.equal(life.status(id), 'in-progress');
  const filter = { taskId: null, runId: null, sessionId: null, types: ['machine.slept' as const], sinceMs: 0 };
  const told = selectEventsThat(life.at.ledger.read, filter, { after: 0, limit: 10 });
  assert.deepEqual(
    told.map(({ payload }) => payload.ms),
    [25_920_000],
  );
});
