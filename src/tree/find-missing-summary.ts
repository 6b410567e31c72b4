import { existsSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { isWithin } from '../domain/path-text.ts';
import type { TaskName } from '../domain/task.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { companionPath } from './tree-paths.ts';

export interface SummaryReference {
  readonly taskId: string;
  readonly summaryRef: string;
}

/**
 * The summary that a completion report names, if the folder of its task has no such file (aof:refs). It reads files,
 * so it runs before the command that receives the report.
 */
export function findMissingSummary(
  ledger: Pick<Ledger, 'taskStatus'>,
  root: string,
  { taskId, summaryRef }: SummaryReference,
): string | null {
  const status = ledger.taskStatus(taskId);
  if (status === null) return null;
  return hasCompanionFile(`${root}/${companionPath(status, taskId as TaskName)}`, summaryRef) ? null : summaryRef;
}

/** A reference that leads out of the task's own folder is not followed. */
function hasCompanionFile(folder: string, reference: string): boolean {
  if (isAbsolute(reference) || reference.includes('\0')) return false;
  try {
    // Most reports have no summary file, and one call tells.
    const path = join(folder, reference);
    if (!existsSync(path)) return false;
    const file = realpathSync(path);
    return isWithin(realpathSync(folder), file) && statSync(file).isFile();
  } catch {
    // A file that cannot be read is missing for the reader of the report.
    return false;
  }
}
