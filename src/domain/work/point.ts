import type { TaskName } from '../task/task.ts';
import type { TaskStatus } from '../task/task-lifecycle.ts';

/**
 * `start`: before the work of a round. `turn`: a turn of an agent changed files. `end`: after a run, its checks or a rollback.
 * `transition`: the task moved. `work`: its work was undone or applied. `saved`: files that a rewind replaced. `rewind`: a rewind.
 */
export const POINT_KINDS = ['start', 'turn', 'end', 'transition', 'work', 'saved', 'rewind'] as const;
export type PointKind = (typeof POINT_KINDS)[number];

/** Numbers of files that differ from the point before. */
export interface FileCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

export const NO_FILES: FileCounts = { added: 0, changed: 0, removed: 0 };

export function isUnchanged({ added, changed, removed }: FileCounts): boolean {
  return added + changed + removed === 0;
}

/** A recorded state of the files of a workspace. */
export interface RecordedState {
  /** The label of the shadow commit, whose name is refs/baton/<task>/<label>. */
  readonly label: string;
  /** Holds the files byte for byte. */
  readonly commit: string;
  /** The same for SAOP: HEAD where the user's git sees no change (saop:git-hash). */
  readonly gitHash: string;
  readonly files: FileCounts;
}

/** A state that a task can be rewound to. */
export interface Point extends RecordedState {
  readonly taskId: TaskName;
  /** Counted from 1 within the task. */
  readonly number: number;
  /** The position in the log that it belongs to. */
  readonly seq: number;
  readonly kind: PointKind;
  /** The status of the task then. */
  readonly status: TaskStatus;
  readonly round: number;
  readonly runId: string | null;
  /** The index of a `turn`; null for any other point. */
  readonly turnIndex: number | null;
  /** The number of the point that a `rewind` led back to; null for any other. */
  readonly rewoundTo: number | null;
  readonly at: number;
}

export function countFiles(changes: readonly { readonly status: string }[]): FileCounts {
  const added = changes.filter(({ status }) => status === 'added').length;
  const removed = changes.filter(({ status }) => status === 'deleted').length;
  return { added, changed: changes.length - added - removed, removed };
}

/** The commits before and after a run, or several. */
export interface RunSpan {
  readonly before: string;
  readonly after: string;
}

/** States that the work itself left; any other one may have changes of a person, too. */
const LEFT_BY_WORK: readonly PointKind[] = ['turn', 'end'];

/**
 * The spans in which a task changed files, up to each state that matters for a rewind: the target, those that earlier rewinds
 * led to, and the last one of each round. `points` are of one folder, oldest first.
 */
export function spansOfWork(points: readonly Point[], target: Point): readonly RunSpan[] {
  const ends = points.filter(
    ({ round, kind }, at) => kind === 'rewind' || points.slice(at + 1).every((later) => later.round !== round),
  );
  const found = [target, ...ends].flatMap((end) => {
    const until = points.filter(({ round, number }) => round === end.round && number <= (end.rewoundTo ?? end.number));
    const before = until.find(({ kind }) => kind === 'start')?.commit;
    const after = until.findLast(({ kind }) => LEFT_BY_WORK.includes(kind))?.commit;
    return before === undefined || after === undefined || before === after ? [] : [{ before, after }];
  });
  return [...new Map(found.map((span) => [`${span.before} ${span.after}`, span])).values()];
}
