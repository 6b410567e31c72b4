import type { Execution } from '../domain/execution/execution.ts';
import type { Workplace } from '../domain/execution/findings.ts';
import type { TaskName } from '../domain/task/task.ts';
import { type Point, type RunSpan, spansOfWork } from '../domain/work/point.ts';
import { selectPoint, selectPoints } from '../ledger/statements/points.ts';
import { selectExecution } from '../ledger/statements/run-facts.ts';
import type { Reader } from '../ledger/tx.ts';

/** The points of a task that were recorded in a workplace, oldest first: a later round may have worked elsewhere. */
export function pointsIn(read: Reader, taskId: TaskName, workplace: Workplace): readonly Point[] {
  const folders = new Map<number, string | null>();
  const folderOf = (at: Workplace | undefined) => (at?.kind === 'worktree' ? at.folder : null);
  return selectPoints(read, taskId).filter(({ round }) => {
    if (!folders.has(round)) {
      folders.set(round, folderOf(selectExecution(read, { taskId, round }).snapshotted?.workplace));
    }
    return folders.get(round) === folderOf(workplace);
  });
}

/** The spans in which a task changed files in place, if a rewind led to a state with changes of a person; else undefined. */
export function spansOfRewound(
  read: Reader,
  taskId: TaskName,
  { rewound, snapshotted }: Execution,
): readonly RunSpan[] | undefined {
  const point = rewound && selectPoint(read, taskId, rewound.point);
  return point && snapshotted ? spansOfWork(pointsIn(read, taskId, snapshotted.workplace), point) : undefined;
}
