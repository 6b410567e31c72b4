import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isWithin } from '../domain/path-text.ts';
import type { TaskName } from '../domain/task.ts';
import { selectTaskStatus } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { companionPath } from './tree-paths.ts';

export interface SummaryReference {
  readonly taskId: string;
  readonly summaryRef: string;
}

/**
 * The summary that a completion report names, if the folder of its task has no such file (aof:refs). It reads files,
 * so it runs before the command that receives the report.
 */
export function findMissingSummary(read: Reader, root: string, reference: SummaryReference): string | null {
  const { taskId, summaryRef } = reference;
  const status = selectTaskStatus(read, taskId);
  if (status === null) return null;
  return hasCompanionFile(join(root, companionPath(status, taskId as TaskName)), summaryRef) ? null : summaryRef;
}

/** A reference that leads out of the task's own folder is not followed. */
function hasCompanionFile(folder: string, reference: string): boolean {
  if (isAbsolute(reference) || reference.includes('\0')) return false;
  try {
    // Most reports have no summary file, and one call tells.
    if (statSync(join(folder, reference), { throwIfNoEntry: false }) === undefined) return false;
    const file = realpathSync(join(folder, reference));
    return isWithin(realpathSync(folder), file) && statSync(file).isFile();
  } catch {
    // A file that cannot be read is missing for the reader of the report.
    return false;
  }
}
