import type { OverlapView, StatusAnswer, WaitingWork } from '../../api/contract.ts';
import { viewTaskLine, viewVerdict } from '../../api/task/views.ts';
import { type Execution, judgementOf, lastRun } from '../../domain/execution/execution.ts';
import { changesLeft } from '../../domain/execution/recorded-changes.ts';
import { maskWritten } from '../../domain/secrets/mask-written.ts';
import { OVERLAP_PATHS_SHOWN } from '../../domain/session/session-limits.ts';
import type { OpenOverlap } from '../../domain/task/rank-attention.ts';
import type { Task, TaskName } from '../../domain/task/task.ts';
import type { Overlap } from '../../domain/work/overlap.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import { selectToApply } from '../../ledger/statements/task-work.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { OverlapRadar } from '../../work/overlap-radar.ts';
import { workspaceInRepository } from '../../work/place/work-folder.ts';

export function viewOverlaps(overlaps: readonly Overlap[]): readonly OverlapView[] {
  return overlaps.map(({ with: task, paths }) => ({
    task,
    files: paths.length,
    paths: paths.slice(0, OVERLAP_PATHS_SHOWN).map(maskWritten),
  }));
}

/** Two tasks that change the same files, as an entry of the attention queue. */
export function openOverlap(read: Reader, { taskId, with: other, paths }: Overlap): OpenOverlap {
  const shown = paths.slice(0, OVERLAP_PATHS_SHOWN).join(', ');
  const more = paths.length > OVERLAP_PATHS_SHOWN ? ` and ${paths.length - OVERLAP_PATHS_SHOWN} more` : '';
  return {
    id: `overlap_${taskId}_${other}`,
    taskId,
    title: selectTask(read, taskId)?.title ?? '',
    why: `${other} changes the same files: ${shown}${more}`,
    actions: ['stop'],
    since: selectTask(read, taskId)?.lastTransitionAt ?? 0,
  };
}

/** Tasks whose work waits in a worktree, oldest first. */
export function workToApply(
  { read, overlaps: radar }: { readonly read: Reader; readonly overlaps?: Radar | undefined },
  limit: number,
): StatusAnswer['toApply'] {
  const works = selectToApply(read, limit).map((task) => ({ task, execution: executionOf(read, task) }));
  const overlaps = findWaitingOverlaps(read, works, radar);
  return works.map(({ task, execution }) => ({
    ...viewTaskLine(task),
    ...workOf(read, task, execution),
    overlaps: viewOverlaps(overlaps.get(task.id) ?? []),
  }));
}

function executionOf(read: Reader, task: Task): Execution {
  const order = selectOrder(read, task.id);
  if (!order) throw new Error(`${task.id} has work and no order`);
  return selectExecution(read, order);
}

function workOf(read: Reader, { id }: Task, execution: Execution): Omit<WaitingWork, 'overlaps'> {
  const { reported } = execution;
  return {
    doneBy: lastRun(execution)?.agent ?? null,
    files: changesLeft(execution).length,
    readyAt: new Date(reported?.report.timing.completedAt ?? selectOrder(read, id)?.at ?? 0).toISOString(),
    ...viewVerdict(judgementOf(execution)),
  };
}

interface ExecutedTask {
  readonly task: Task;
  readonly execution: Execution;
}

type Radar = Pick<OverlapRadar, 'touching'>;

/** Waiting works that change the same files, and live runs that do. Work that builds on another is no overlap with it. */
function findWaitingOverlaps(
  read: Reader,
  works: readonly ExecutedTask[],
  radar: Radar | undefined,
): ReadonlyMap<TaskName, readonly Overlap[]> {
  const changes = works.map(({ task, execution }) => ({ taskId: task.id, ...changesOf(execution) }));
  const byFile = new Map<string, TaskName[]>();
  for (const { taskId, repository, paths } of changes) {
    for (const path of paths)
      byFile.set(`${repository} ${path}`, [...(byFile.get(`${repository} ${path}`) ?? []), taskId]);
  }
  return new Map(
    changes.map(({ taskId, repository, paths }) => {
      const shared = new Map<TaskName, string[]>();
      const add = (other: TaskName, path: string) => shared.set(other, [...(shared.get(other) ?? []), path]);
      for (const path of paths) for (const other of byFile.get(`${repository} ${path}`) ?? []) add(other, path);
      for (const live of radar?.touching(repository, paths) ?? [])
        for (const path of live.paths) add(live.taskId, path);
      const others = [...shared].filter(([other]) => !buildsOn(read, taskId, other) && !buildsOn(read, other, taskId));
      return [taskId, others.map(([other, files]) => ({ taskId, with: other, paths: files.sort() }))];
    }),
  );
}

/** The changed files of an order, from the root of its repository. */
function changesOf(execution: Execution): { readonly repository: string; readonly paths: readonly string[] } {
  const repository = execution.snapshotted?.repository;
  if (!repository) return { repository: '', paths: [] };
  const inside = workspaceInRepository(execution.order, repository);
  const paths = changesLeft(execution).map(({ path }) => (inside === '' ? path : `${inside}/${path}`));
  return { repository: repository.commonDir, paths };
}

/** The overlaps of work that is about to be applied. */
export function overlapsBefore(read: Reader, work: ExecutedTask, radar: Radar): readonly OverlapView[] {
  const others = selectToApply(read, WAITING_COMPARED_MAX)
    .filter(({ id }) => id !== work.task.id)
    .map((task) => ({ task, execution: executionOf(read, task) }));
  return viewOverlaps(findWaitingOverlaps(read, [work, ...others], radar).get(work.task.id) ?? []);
}

const WAITING_COMPARED_MAX = 50;

/** Whether a task waited for another, directly or through others. */
function buildsOn(read: Reader, taskId: TaskName, other: TaskName): boolean {
  const seen = new Set<string>();
  const left: string[] = [taskId];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (id === other) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    left.push(...(selectTask(read, id as TaskName)?.dependsOn ?? []));
  }
  return false;
}
