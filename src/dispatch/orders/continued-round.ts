import { type Execution, lastRun, replay } from '../../domain/execution/execution.ts';
import type { ContinueRequest, OrderFlags } from '../../domain/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { isReviewRequired, type Task } from '../../domain/task.ts';
import { isTakenBack } from '../../domain/work-state.ts';
import { type OrderRow, selectOrder } from '../../ledger/statements/orders.ts';
import { selectFacts } from '../../ledger/statements/run-facts.ts';
import { findTask } from '../../operations/find-task.ts';
import { type ContinuedOrder, hasWait, refuseContinue } from '../../operations/order-rounds.ts';
import type { RunWorld } from '../run-world.ts';
import { decideAgain } from './order-terms.ts';

/** A task with the newest round of its order, which is over. */
export interface EarlierRound {
  readonly task: Task;
  readonly row: OrderRow;
  readonly execution: Execution;
  readonly flags: OrderFlags;
}

export function earlierRound({ ledger }: RunWorld, reference: string): EarlierRound | Refusal {
  const { read } = ledger;
  const task = findTask(read, reference);
  if (isRefusal(task)) return task;
  const refusal = hasWait(read, task) ? null : refuseContinue(read, task);
  if (refusal) return refusal;
  const row = selectOrder(read, task.id);
  const facts = row === null ? [] : selectFacts(read, row);
  const [first] = facts;
  if (row === null || first?.kind !== 'ordered') throw new Error(`${task.id} has a round without an order`);
  const execution = replay(facts);
  return { task, row, execution, flags: first.request ?? { workspace: execution.order.workspaceRoot } };
}

/** The same order with the flags that the request changes, by the agent that worked last unless another is named. */
export function continuedRound(
  world: RunWorld,
  { task, row, execution, flags }: EarlierRound,
  request: ContinueRequest,
): Omit<ContinuedOrder, 'task' | 'admitted' | 'actor'> {
  const { order, message, snapshotted, rolledBack } = execution;
  const { task: _, text = null, agent = lastRun(execution)?.agent ?? flags.agent, ...changed } = request;
  const isGone = isTakenBack(task.work);
  // Work that is in the user's files goes on there: a worktree of HEAD would not have it.
  const again: OrderFlags = { ...flags, ...changed, ...(agent && { agent }), ...(!isGone && { worktree: false }) };
  const first = { kind: 'ordered' as const, order, ...(message !== undefined && { message }), at: row.at };
  const continues = {
    task: task.id,
    round: row.round,
    words: text,
    isInWorktree: snapshotted?.workplace.kind === 'worktree' && task.work === 'waiting',
    isTakenBack: isGone || rolledBack !== null,
  };
  const { provenance } = row;
  return { ...decideAgain(world, { ...first, request: again }, provenance), provenance, request: again, continues };
}

/** The task that goes on with one in a final status. */
export function followUpOf(
  { task }: EarlierRound,
  { order, continues: { words } }: Pick<ContinuedOrder, 'order' | 'continues'>,
  title: string,
): Omit<ContinuedOrder['task'], 'agent' | 'createdBy'> {
  return {
    title,
    body: [`Goes on with ${task.id}: ${task.title}`, ...(words === null ? [] : [words])].join('\n\n'),
    priority: order.priority,
    role: null,
    team: null,
    tags: [],
    resource: null,
    parentId: null,
    dependsOn: [],
    metadata: { reviewRequired: isReviewRequired(task), continues: task.id },
  };
}
