import type { Report, WholeWork } from '../order/report.ts';
import type { Execution } from './execution.ts';
import type { ChangedFile } from './findings.ts';
import { changesLeft, leftCommit } from './recorded-changes.ts';

/** Whether the work of an earlier round in the user's own files still counts together with the round after it. */
export function continuesInPlace(execution: Execution): boolean {
  const { snapshotted, workFacts, cleanedAt } = execution;
  if (snapshotted?.workplace.kind !== 'in-place' || cleanedAt !== null) return false;
  if (workFacts.at(-1)?.kind === 'undone') return false;
  return snapshotted.commit === null || leftCommit(execution) !== null;
}

type FileStatus = ChangedFile['status'];

/**
 * The work of a round in the user's own files with that of the rounds before it, newest first, that it continues; null where it
 * is the only one. A file that an earlier round made and that a person removed since is no longer part of it.
 */
export function wholeWork(
  execution: Execution,
  earlier: readonly Execution[],
  isThere: (path: string) => boolean,
): WholeWork | null {
  const end = earlier.findIndex((round) => !continuesInPlace(round));
  const rounds = end === -1 ? earlier : earlier.slice(0, end);
  if (execution.snapshotted?.workplace.kind !== 'in-place' || rounds.length === 0) return null;
  const files = new Map<string, FileStatus>();
  for (const { path, status } of rounds.toReversed().flatMap(changesLeft)) take(files, path, status);
  const last = changesLeft(execution);
  const lastPaths = new Set(last.map(({ path }) => path));
  for (const [path, status] of files) {
    const isTakenBack = status !== 'updated' && isThere(path) === (status === 'deleted');
    if (isTakenBack && !lastPaths.has(path)) files.delete(path);
  }
  for (const { path, status } of last) take(files, path, status);
  const violations = [...rounds, execution].flatMap(violationsOf);
  return { files: [...files].map(([path, status]) => ({ path, status })), violations: [...new Set(violations)] };
}

function take(files: Map<string, FileStatus>, path: string, status: FileStatus): void {
  const whole = joined(files.get(path), status);
  if (whole === null) files.delete(path);
  else files.set(path, whole);
}

/** Both changes of a file as one; null where they take each other back. */
function joined(first: FileStatus | undefined, then: FileStatus): FileStatus | null {
  if (first === 'created') return then === 'deleted' ? null : 'created';
  return first === 'deleted' && then === 'created' ? 'updated' : then;
}

function violationsOf({ attempts }: Execution): readonly string[] {
  return attempts.findLast(({ collected }) => collected !== null)?.collected?.violations ?? [];
}

/** The number of files that a reviewer of reported work has to look at. */
export function changedFileCount({ whole, files }: Pick<Report, 'whole' | 'files'>): number {
  return whole?.files.length ?? files.filter(({ status }) => status !== 'unchanged').length;
}
