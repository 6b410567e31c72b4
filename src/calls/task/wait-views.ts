import type { TaskWait } from '../../api/task/task-wait.ts';
import type { QuotaHold } from '../../domain/agent/quota.ts';
import type { RoutedTask, Task } from '../../domain/task/task.ts';
import { isTerminal } from '../../domain/task/task-lifecycle.ts';
import { selectAwaited } from '../../ledger/statements/dependencies.ts';
import type { Reader } from '../../ledger/tx.ts';
import { viewRemote } from './remote-views.ts';

export interface WaitSight {
  readonly read: Reader;
  /** Whether this node can start the agent of a task: it is configured, or the order was accepted with it. */
  hasAgent(task: RoutedTask): boolean;
  /** The hold on the account of a task's agent; null while its vendor serves it. */
  holdOfTask?(task: RoutedTask): QuotaHold | null;
}

export function viewWait(task: Task, { read, hasAgent, holdOfTask }: WaitSight): TaskWait {
  const { id, status, routing } = task;
  const { agent } = routing;
  const waitsFor = isTerminal(status) ? [] : selectAwaited(read, task);
  const remote = viewRemote(read, task);
  const isWaiting = status === 'ready' || status === 'backlog';
  if (!isWaiting || agent === null) return { missingAgent: null, waitsFor, quota: null, remote };
  const hold = holdOfTask?.({ id, agent }) ?? null;
  return {
    waitsFor,
    remote,
    missingAgent: hasAgent({ id, agent }) ? null : agent,
    quota: hold && { account: hold.account, until: new Date(hold.until).toISOString() },
  };
}
