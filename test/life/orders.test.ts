import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '../../src/domain/execution/fact.ts';
import type { TaskName } from '../../src/domain/task/task.ts';
import { NO_FILES } from '../../src/domain/work/point.ts';
import type { Command } from '../../src/ledger/commit-queue.ts';
import { closeOrder, selectOrder } from '../../src/ledger/statements/orders.ts';
import { selectReady } from '../../src/ledger/statements/ready-tasks.ts';
import { leaseOrder } from '../../src/operations/order/lease-order.ts';
import { continueTask, submitOrder } from '../../src/operations/order/order-rounds.ts';
import { recordTurnState } from '../../src/operations/run/record-point.ts';
import { moveTask } from '../../src/operations/task/move-task.ts';
import { encodeTransition } from '../../src/protocols/saop/encode-transition.ts';
import { anOrder } from '../support/order/an-order.ts';
import { admitted } from '../support/run/an-execution.ts';
import { NEW_TASK, TaskLife } from '../support/task/task-life.ts';

const ADMITTED = admitted() as Extract<Fact, { readonly kind: 'admitted' }>;

/** An order of the session S-1 under this name. */
function given(taskId: string) {
  const order = anOrder({ sessionId: 'S-1', taskId });
  return { task: { ...NEW_TASK, agent: 'emma' }, order, provenance: null, admitted: ADMITTED };
}

/** The order of a task counts as reported. */
const report: Command<TaskName, object> = (tx, id) => {
  const order = selectOrder(tx, id);
  if (order) closeOrder(tx, order);
  return {};
};

/** The tasks in the order in which they are handed out. */
function queue({ at }: TaskLife): readonly TaskName[] {
  const facts = { wallMs: Number.MAX_SAFE_INTEGER, limit: 100, among: null };
  return selectReady(at.ledger.read, facts).map(({ id }) => id);
}

test('an order under the same names is refused while the first is open, and is a new task once that is over', async () => {
  const life = await TaskLife.open();
  const { task: first } = await life.do(submitOrder, given('T-1'));
  assert.equal(await life.refused(submitOrder, given('T-1')), 'already_claimed');
  await life.move(first.id, 'cancelled');
  const { task: second } = await life.do(submitOrder, given('T-1'));
  assert.notEqual(second.id, first.id);
});

test('who continues a task that is over gets a new one, and any other task another round', async () => {
  const life = await TaskLife.open();
  const goOn = async (task: TaskName) => {
    await life.do(report, task);
    const continues = { task, round: 1, words: null, isInWorktree: false, isTakenBack: false };
    return (await life.do(continueTask, { ...given('T-1'), continues, actor: 'operator' })).task;
  };
  const { task } = await life.do(submitOrder, given('T-1'));
  for (const to of ['blocked', 'review'] as const) await life.move(task.id, to);
  assert.equal((await goOn(task.id)).id, task.id);
  await life.move(task.id, 'cancelled');
  assert.notEqual((await goOn(task.id)).id, task.id);
  assert.equal(life.status(task.id), 'cancelled');
});

test('a move carries the hash of the files as they were recorded last, and so does its task', async () => {
  const life = await TaskLife.open();
  const { task } = await life.do(submitOrder, given('T-1'));
  const { run } = await life.do(leaseOrder, { taskId: task.id, agent: 'emma', alternative: null });
  const gitHash = 'a'.repeat(40);
  const state = { label: '1/turn-1', commit: 'b'.repeat(40), gitHash, files: NO_FILES, paths: [] };
  await life.do(recordTurnState, { ...state, taskId: task.id, runId: run.id, turnIndex: 0 });
  const { events } = await life.do(moveTask, { taskId: task.id, to: 'blocked', actor: 'operator', reason: null });
  const moves = events.map(encodeTransition).filter((event) => event !== null);
  assert.deepEqual(
    moves.map(({ payload }) => payload.type === 'TASK_TRANSITION' && [payload.to_state, payload.git_hash]),
    [['blocked', gitHash]],
  );
  assert.equal(life.task(task.id).headHash, gitHash);
  const row = life.at.ledger.read.one('SELECT head_hash FROM tasks WHERE id = ?', task.id);
  assert.equal(row?.head_hash, gitHash);
});

test('a PRIORITY_ESCALATION moves the task of an order up in the queue', async () => {
  const life = await TaskLife.open();
  const { task: first } = await life.do(submitOrder, given('T-1'));
  life.at.clock.step(1_000);
  const { task: second } = await life.do(submitOrder, given('T-2'));
  assert.deepEqual(queue(life), [first.id, second.id]);
  const head = { aop_version: '2.0.2-C', schema_version: '2.0.2', protocol_family: 'AOP', message_type: 'EVENT' };
  const about = { session_id: 'S-1', task_id: 'T-2', timestamp: '2026-02-26T12:00:00.000Z' };
  const escalation = { ...head, event: 'PRIORITY_ESCALATION', ...about, new_priority: 'CRITICAL' };
  assert.equal((await life.sendText(JSON.stringify(escalation))).verdict, 'accepted');
  assert.deepEqual(queue(life), [second.id, first.id]);
});
