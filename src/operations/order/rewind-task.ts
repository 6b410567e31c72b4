import { replay } from '../../domain/execution/execution.ts';
import { isRefusal, refuse } from '../../domain/refusal.ts';
import { OPERATOR } from '../../domain/task/decide-sender.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { planRewind } from '../../domain/work/plan-rewind.ts';
import { type FileCounts, NO_FILES, type Point } from '../../domain/work/point.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { type OrderRow, selectOrder } from '../../ledger/statements/orders.ts';
import { selectLastPoint, selectPoint } from '../../ledger/statements/points.ts';
import { insertFact, selectFacts } from '../../ledger/statements/run-facts.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import { addPoint } from '../run/record-point.ts';
import { returnTo } from '../task/transition.ts';
import { refuseUnordered } from './refuse-unordered.ts';

/** A rewind whose files are in place. */
export interface RewindDone {
  readonly taskId: TaskName;
  readonly point: number;
  /** The state that it replaced: the shadow commit, its label, and the files that others had changed. */
  readonly saved: { readonly commit: string; readonly label: string; readonly files: FileCounts };
  readonly files: FileCounts;
}

export interface RewoundTask {
  readonly task: Task;
  /** The point to come back to. */
  readonly before: Point;
  readonly events: readonly LedgerEvent[];
}

/**
 * Records a rewind: the task is back in its status then, and what came after the point is superseded. Files that others had
 * changed become a point of their own, so that nothing is out of reach.
 */
export const rewindTask: Command<RewindDone, RewoundTask> = (tx, done) => {
  const { taskId, saved } = done;
  const found = rewindPlan(tx, taskId, String(done.point));
  if (isRefusal(found)) return found;
  const { order, point, to } = found;
  const { commit, label, gitHash, round } = point;
  const savedAs = `refs/baton/${taskId}/${saved.label}`;
  const told = { point: point.number, ...(point.turnIndex !== null && { turnIndex: point.turnIndex }) };
  const payload = { ...told, gitHash, files: done.files, savedAs };
  const { event, ...back } = returnTo(tx, found.task, { to, actor: OPERATOR, payload });
  const last = selectLastPoint(tx, taskId) ?? point;
  const isDirty = saved.commit !== last.commit;
  // It belongs to the state before the rewind.
  const kept = { ...saved, gitHash: saved.commit, round: order.round, seq: event.seq - 1, status: found.task.status };
  const before = isDirty ? addPoint(tx, back.task, { ...kept, kind: 'saved', runId: null }).point : last;
  const here = { commit, label, gitHash, round, files: NO_FILES, seq: event.seq, kind: 'rewind', runId: null } as const;
  const { task } = addPoint(tx, back.task, { ...here, rewoundTo: point.number });
  const { runId, turnIndex } = point;
  const at = tx.moment.now.wallMs;
  insertFact(tx, order, { kind: 'rewound', by: OPERATOR, point: point.number, commit, label, runId, turnIndex, at });
  return { task, before, events: back.events };
};

/** The rewind of a task to a point, as far as the ledger knows it. */
export function rewindPlan(read: Reader, taskId: string, asked: string) {
  const task = selectTask(read, taskId);
  if (!task) return refuse('task_not_found', `there is no task ${taskId}`);
  const order = selectOrder(read, taskId);
  if (order === null) return refuseUnordered(read, task);
  const execution = replay(selectFacts(read, order));
  const point = /^\d{1,9}$/.test(asked) ? selectPoint(read, taskId, Number(asked)) : null;
  const planned = planRewind({
    task,
    isOpen: order.isOpen || task.runId !== null,
    execution,
    point,
    asked,
    isInWorktree: executionOf(read, order, point)?.snapshotted?.workplace.kind === 'worktree',
  });
  return isRefusal(planned) ? planned : { ...planned, task, order };
}

/** The round that a point was recorded in. */
export function executionOf(read: Reader, { taskId }: OrderRow, point: Point | null) {
  return point && replay(selectFacts(read, { taskId, round: point.round }));
}
