import type { TaskName } from '../task/task.ts';

/** A task whose agent changes files of a repository, and the files that it has changed so far, from the root. */
export interface ChangingTask {
  readonly taskId: TaskName;
  /** The folder that all worktrees of a repository share. */
  readonly repository: string;
  /** It works in the user's files, so a change of a person there cannot be told from one of its agent. */
  readonly isInPlace: boolean;
  /** Beginnings and ends are numbered in their order. */
  readonly begun: number;
  /** Null while it works. */
  readonly ended: number | null;
  readonly paths: ReadonlySet<string>;
  /** The files among them that differ, in the user's folder, from the commit that it started from. */
  readonly differing: ReadonlySet<string>;
}

/** Files that a task changes, and that another task or a person changes as well. */
export interface Overlap {
  readonly taskId: TaskName;
  /** Null for a person: no run of Baton made the change. */
  readonly with: TaskName | null;
  /** In the order of their names. */
  readonly paths: readonly string[];
}

/** The overlaps of a task with the others that worked at the same time, and with a person. */
export function findOverlaps(task: ChangingTask, others: readonly ChangingTask[]): readonly Overlap[] {
  const beside = others.filter((other) => areTogether(task, other));
  const shared = beside.map((other) => ({ taskId: task.taskId, with: other.taskId, paths: inBoth(task, other) }));
  const inUsersFiles = beside.filter(({ isInPlace }) => isInPlace);
  const persons = [...task.differing].filter((path) => !inUsersFiles.some(({ paths }) => paths.has(path)));
  return [...shared, { taskId: task.taskId, with: null, paths: persons.sort() }].filter(
    ({ paths }) => paths.length > 0,
  );
}

/** An ended task is compared as long as one runs that it worked beside. */
export function isCompared(task: ChangingTask, others: readonly ChangingTask[]): boolean {
  return task.ended === null || others.some((other) => other.ended === null && areTogether(task, other));
}

/** Whether two tasks of one repository worked at the same time. */
function areTogether(a: ChangingTask, b: ChangingTask): boolean {
  if (a.taskId === b.taskId || a.repository !== b.repository) return false;
  return (a.ended ?? Number.POSITIVE_INFINITY) > b.begun && (b.ended ?? Number.POSITIVE_INFINITY) > a.begun;
}

function inBoth(a: ChangingTask, b: ChangingTask): readonly string[] {
  const [fewer, more] = a.paths.size < b.paths.size ? [a, b] : [b, a];
  return [...fewer.paths].filter((path) => more.paths.has(path)).sort();
}
