import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact } from '../../src/domain/execution/fact.ts';
import { isRefusal } from '../../src/domain/refusal.ts';
import type { Task, TaskName } from '../../src/domain/task/task.ts';
import type { Command } from '../../src/ledger/commit-queue.ts';
import { selectAwaited } from '../../src/ledger/statements/dependencies.ts';
import { selectReady } from '../../src/ledger/statements/ready-tasks.ts';
import { selectTask } from '../../src/ledger/statements/tasks.ts';
import { submitOrder } from '../../src/operations/order/order-rounds.ts';
import { dependTask } from '../../src/operations/task/depend-task.ts';
import { editByHand } from '../../src/operations/task/edit-by-hand.ts';
import { promoteTasks } from '../../src/operations/task/promote-tasks.ts';
import type { TaskChange } from '../../src/operations/task/transition.ts';
import { anOrder } from '../support/order/an-order.ts';
import { admitted } from '../support/run/an-execution.ts';
import { NEW_TASK, TaskLife } from '../support/task/task-life.ts';

/** Two orders of one session, the second after the first. */
async function twoOrders() {
  const life = await TaskLife.open();
  const order = async (taskId: string, dependsOn: readonly TaskName[]): Promise<TaskName> => {
    const fact = admitted() as Extract<Fact, { readonly kind: 'admitted' }>;
    const task = { ...NEW_TASK, agent: 'emma', dependsOn };
    const { task: made } = await life.do(submitOrder, {
      ...{ task, order: anOrder({ taskId }), provenance: null, admitted: fact },
    });
    return made.id;
  };
  const first = await order('T-1', []);
  return { life, first, order };
}

/** Changes the title in the task's file. */
const retitle: Command<{ readonly id: TaskName; readonly title: string }, TaskChange> = (tx, { id, title }) => {
  const task = selectTask(tx, id) as Task;
  const { agent, role, team, tags } = task.routing;
  const { priority, resource, dependsOn, sla, metadata, body } = task;
  const text = { title, priority, agent, role, team, tags, resource, dependsOn, sla, metadata, body };
  return editByHand(tx, task, { text, changed: ['title'], to: null });
};

function isReady({ at }: TaskLife, id: TaskName): boolean {
  const { read } = at.ledger;
  return selectReady(read, { wallMs: Number.MAX_SAFE_INTEGER, limit: 100, among: null }).some((task) => task.id === id);
}

test('an order that a review released stays released when its file is edited or a met dependency is added', async () => {
  const { life, first, order } = await twoOrders();
  const second = await order('T-2', [first]);
  assert.equal(life.openDependencies(second), 1);
  for (const to of ['blocked', 'review'] as const) await life.move(first, to);
  await life.do(promoteTasks, { limit: 10 });
  assert.ok(isReady(life, second));
  await life.do(retitle, { id: second, title: 'Another title' });
  assert.ok(isReady(life, second), 'after the edit');
  await life.do(dependTask, { taskId: second, on: [await life.inStatus('done')], actor: 'operator' });
  assert.ok(isReady(life, second), 'after a dependency that is done');
  await life.move(first, 'done');
  assert.equal(life.openDependencies(second), 0, 'the end of the review counts nothing a second time');
});

test('an edit keeps a task waiting for what is not done, and a dependency that is taken away lets it go', async () => {
  const { life, first, order } = await twoOrders();
  const second = await order('T-2', [first]);
  await life.do(retitle, { id: second, title: 'Another title' });
  assert.deepEqual(selectAwaited(life.at.ledger.read, life.task(second)), [first]);
  assert.equal(life.openDependencies(second), 1);
});

test('an order does not wait for a task that reached review after its sender looked', async () => {
  const { life, first, order } = await twoOrders();
  for (const to of ['blocked', 'review'] as const) await life.move(first, to);
  const late = await order('T-3', [first]);
  assert.deepEqual([life.openDependencies(late), life.task(late).status], [0, 'ready']);
});

test('an order waits for a task that somebody blocked, and is refused after one whose order ended without work', async () => {
  const { life, first } = await twoOrders();
  const fact = admitted() as Extract<Fact, { readonly kind: 'admitted' }>;
  const after = (taskId: string, needs: TaskName) => ({
    task: { ...NEW_TASK, agent: 'emma', dependsOn: [needs] },
    ...{ order: anOrder({ taskId }), provenance: null, admitted: fact },
  });
  assert.equal(isRefusal(await life.ask(submitOrder, after('T-4', await life.inStatus('blocked')))), false);
  await life.move(first, 'blocked');
  assert.equal(await life.refused(submitOrder, after('T-5', first)), 'E_DEPENDENCY_FAILED', 'its order is aborted');
});
