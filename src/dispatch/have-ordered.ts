import { dirname } from 'node:path';
import { isRefusal } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { orderTask } from '../operations/order-task.ts';
import type { NewOrder } from '../operations/submit-order.ts';
import type { Ids } from '../platform/ids.ts';
import { encodeAop } from '../protocols/aop/encode.ts';
import { plainTask } from '../protocols/aop/task-of-words.ts';
import { findRepository } from '../workspace/find-repository.ts';
import type { RunWorld } from './run-world.ts';

export interface TaskQuestion {
  readonly taskId: TaskName;
  readonly ids: Ids;
}

/** Whether a task has an order under way, be it given now. */
export async function haveOrdered(world: RunWorld, question: TaskQuestion): Promise<boolean> {
  const { ledger } = world;
  const { taskId } = question;
  if (selectOrder(ledger.read, taskId)?.isOpen) return true;
  return !isRefusal(await ledger.submit(orderTask, { taskId, order: orderForTask(world, question) }));
}

/** The order of a task that was made by hand: its words. One that goes round again is given the same order once more. */
function orderForTask(world: RunWorld, { taskId, ids }: TaskQuestion): NewOrder {
  const { read } = world.ledger;
  const earlier = selectOrder(read, taskId);
  if (earlier !== null) return earlier;
  const task = selectTask(read, taskId);
  if (!task) throw new Error(`there is no task ${taskId}`);
  const { agents, checks } = world.settings();
  const agent = agents.find(({ name }) => name === task.routing.agent);
  const message = plainTask([task.title, task.body.trim()].filter(Boolean).join('\n\n'), {
    sessionId: `ses_${ids.ulid()}`,
    taskId,
    createdAt: new Date(task.createdAt).toISOString(),
    workspaceRoot: usualWorkspace(world.dataFolder),
    agent: agent ?? { name: task.routing.agent ?? '', provider: 'OTHER', model: 'unknown' },
    origin: 'TASK',
  });
  const settings = { checks, isFallback: false, wantsWorktree: false, hosts: [] };
  return { sessionId: message.session.session_id, senderTaskId: taskId, message: encodeAop(message), settings };
}

/** Where tasks are done that do not say where: the repository that the data folder lies in, or the folder beside it. */
function usualWorkspace(dataFolder: string): string {
  const beside = dirname(dataFolder);
  return findRepository(beside)?.root ?? beside;
}
