import { refuse } from '../../domain/refusal.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { Point, RecordedState } from '../../domain/work/point.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { insertPoint, selectLastPoint } from '../../ledger/statements/points.ts';
import { selectTask, updateTaskHead } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';

type NewPoint = RecordedState & Pick<Point, 'seq' | 'kind' | 'round'> & Partial<Point>;

/** Adds a state that the task can be rewound to; returns the task, whose git state it now is. */
export function addPoint(tx: Tx, task: Task, point: NewPoint): { readonly task: Task; readonly point: Point } {
  const number = (selectLastPoint(tx, task.id)?.number ?? 0) + 1;
  const about = { runId: task.runId, turnIndex: null, rewoundTo: null, status: task.status };
  const added = { ...about, ...point, taskId: task.id, number, at: tx.moment.now.wallMs };
  insertPoint(tx, added);
  if (task.headHash === point.gitHash) return { task, point: added };
  const headed = { ...task, headHash: point.gitHash };
  updateTaskHead(tx, headed);
  return { task: headed, point: added };
}

interface TurnState extends RecordedState {
  readonly taskId: TaskName;
  readonly runId: string;
  readonly turnIndex: number;
  /** The first of the files that the turn changed. */
  readonly paths: readonly string[];
}

/** Records the files as a turn of a live run left them. */
export const recordTurnState: Command<TurnState, { readonly events: readonly LedgerEvent[] }> = (tx, state) => {
  const { paths, ...recorded } = state;
  const { taskId, runId, turnIndex, commit, files } = recorded;
  const task = selectTask(tx, taskId);
  const order = selectOrder(tx, taskId);
  if (task?.runId !== runId || order === null) {
    return refuse('stale_run', `${runId} does not hold ${taskId} any more`);
  }
  const payload = { run: runId, turnIndex, commit, files, paths };
  const event = insertEvent(tx, { type: 'workspace.recorded', actor: 'dispatcher', taskId, runId, payload });
  addPoint(tx, task, { ...recorded, seq: event.seq, kind: 'turn', round: order.round });
  return { events: [event] };
};
