import type { WorkFact } from '../../domain/execution/work-fact.ts';
import { refuse } from '../../domain/refusal.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { RecordedState } from '../../domain/work/point.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { updateTaskWork } from '../../ledger/statements/task-work.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import { addPoint } from '../run/record-point.ts';
import { type OrderedTask, writeFact } from './open-order.ts';

export interface WorkDeed {
  readonly taskId: TaskName;
  readonly fact: WorkFact;
  /** The files after it; absent where they are not those of the task's workplace. */
  readonly state?: RecordedState;
}

/** Records that an operator applied, undid or discarded the work of the newest round. */
export const recordWork: Command<WorkDeed, { readonly task: Task; readonly events: readonly LedgerEvent[] }> = (
  tx,
  { taskId, fact, state },
) => {
  const task = selectTask(tx, taskId);
  const order = selectOrder(tx, taskId);
  if (!task || !order) return refuse('task_not_found', `there is no work of ${taskId}`);
  const handled = { ...task, work: fact.kind };
  updateTaskWork(tx, handled);
  const event = writeFact(tx, { task, order }, fact);
  const headed = state && addPoint(tx, handled, { ...state, seq: event.seq, kind: 'work', round: order.round }).task;
  return { task: headed ?? handled, events: [event] };
};

/** The work of a task no longer waits by itself: whoever applies or discards the later one decides about both. */
export function handWorkOver(tx: Tx, from: TaskName, { task: to }: Pick<OrderedTask, 'task'>): readonly LedgerEvent[] {
  const task = selectTask(tx, from);
  const order = selectOrder(tx, from);
  if (!task || !order) throw new Error(`${from} has work and no order`);
  updateTaskWork(tx, { ...task, work: 'continued' });
  const nothing = { folder: '', files: [], branch: null, commit: null, keptAs: null };
  const at = tx.moment.now.wallMs;
  return [writeFact(tx, { task, order }, { kind: 'continued', by: OPERATOR, inTask: to.id, ...nothing, at })];
}
