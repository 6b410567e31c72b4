import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskLife } from '../../test/support/task/task-life.ts';
import type { Task } from '../domain/task/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { updateTaskDue } from '../ledger/statements/tasks.ts';
import { planTick } from './plan-tick.ts';

const HOUR_MS = 3_600_000;
const HANDS = { ofAgent: { emma: 1 }, inAll: 1 };

const wait: Command<{ readonly task: Task; readonly dueAt: number }, object> = (tx, { task, dueAt }) => {
  updateTaskDue(tx, task, dueAt);
  return {};
};

/** A task whose next attempt is due in a minute. */
async function waiting() {
  const life = await TaskLife.open();
  const id = await life.inStatus('ready', { agent: 'emma' });
  const task = life.task(id);
  const { ledger, clock } = life.at;
  await ledger.submit(wait, { task, dueAt: clock.now().wallMs + 60_000 });
  return { clock, planned: () => planTick(ledger.read, HANDS, clock.now().wallMs).length };
}

test('a task that waits is planned when its time comes', async () => {
  const { clock, planned } = await waiting();
  clock.step(59_999);
  assert.equal(planned(), 0);
  clock.step(1);
  assert.equal(planned(), 1);
});

test('a clock that was set back does not delay a wait', async () => {
  const { clock, planned } = await waiting();
  clock.step(10_000);
  clock.jumpWall(-24 * HOUR_MS);
  assert.equal(planned(), 1);
});

test('without a ready task no slots are looked up', async () => {
  const { clock, ledger } = (await TaskLife.open()).at;
  const slots = {
    get ofAgent(): Record<string, number> {
      throw new Error('looked up');
    },
    inAll: 1,
  };
  assert.deepEqual(planTick(ledger.read, slots, clock.now().wallMs), []);
});
