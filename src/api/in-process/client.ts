import type { TaskName } from '../../domain/task.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { NodeClient } from '../contract.ts';
import type { OrderClient } from '../order-contract.ts';
import { createByHand } from './create-call.ts';
import { LookCalls } from './look-calls.ts';
import { MessageCalls, type MessageParts } from './message-calls.ts';
import { RunCalls } from './run-calls.ts';
import { statusOf } from './status-call.ts';
import { TaskCalls } from './task-calls.ts';
import { UpkeepCalls, type UpkeepParts } from './upkeep-calls.ts';

export interface InProcessParts extends UpkeepParts, MessageParts {
  readonly ledger: Ledger;
  treeSettled(tasks?: readonly string[]): Promise<void>;
  /** Takes over a result that an agent wrote itself, if there is one. */
  takeResult(task: TaskName): Promise<void>;
  readonly orders: OrderClient;
  /** After a task was taken away from whoever carried it out. */
  finishSettled(): Promise<void>;
  close(): Promise<void>;
}

/** The node itself, spoken to without a wire. */
export function inProcessClient(parts: InProcessParts): NodeClient {
  const tasks = new TaskCalls(parts.ledger, parts.finishSettled);
  const runs = new RunCalls(parts);
  const messages = new MessageCalls(parts);
  const look = new LookCalls(parts.ledger.read);
  const upkeep = new UpkeepCalls(parts);
  return {
    createTask: (request, options) => createByHand(parts.ledger, request, options),
    listTasks: async (request) => look.list(request),
    showTask: async (reference) => look.show(reference),
    moveTask: (reference, to, options) => tasks.move(reference, to, options),
    editTask: (reference, change, options) => tasks.edit(reference, change, options),
    cancelTask: (reference, options) => tasks.move(reference, 'cancelled', options),
    retryTask: (reference, options) => tasks.retry(reference, options),
    dependTask: (reference, on, options) => tasks.depend(reference, on, options),
    claimTask: (request, options) => runs.claim(request, options),
    beatTask: (request) => runs.beat(request),
    endTask: (request, options) => runs.end(request, options),
    send: (text, options) => messages.send(text, options),
    events: async (request) => look.events(request),
    status: async () => statusOf(parts.ledger.read, parts.dataFolder),
    rebuild: () => upkeep.rebuild(),
    backup: (file, options) => upkeep.backup(file, options),
    ...parts.orders,
    treeSettled: parts.treeSettled,
    close: parts.close,
  };
}
