import { existsSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { HANDOFF_REF } from '../domain/task/run.ts';
import type { TaskName } from '../domain/task/task.ts';
import { isWithin } from '../domain/work/path-text.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { companionPath } from './tree-paths.ts';

export interface ReportFiles {
  readonly taskId: string;
  readonly summaryRef: string;
}

/**
 * The summary and the handoff file of a completion report that the folder of its task does not have (aof:refs). It reads
 * files, so it runs before the command that receives the report.
 */
export function findMissingFiles(
  ledger: Pick<Ledger, 'taskStatus'>,
  root: string,
  { taskId, summaryRef }: ReportFiles,
): readonly string[] {
  const status = ledger.taskStatus(taskId);
  if (status === null) return [];
  const folder = `${root}/${companionPath(status, taskId as TaskName)}`;
  const files = [...new Set([summaryRef, HANDOFF_REF])];
  // Most tasks have no folder, and one call tells.
  return existsSync(folder) ? files.filter((file) => !hasCompanionFile(folder, file)) : files;
}

/** A reference that leads out of the task's own folder is not followed. */
function hasCompanionFile(folder: string, reference: string): boolean {
  if (isAbsolute(reference) || reference.includes('\0')) return false;
  try {
    const path = reference.includes('..') ? join(folder, reference) : `${folder}/${reference}`;
    if (!existsSync(path)) return false;
    const file = realpathSync(path);
    return isWithin(realpathSync(folder), file) && statSync(file).isFile();
  } catch {
    // A file that cannot be read is missing for the reader of the report.
    return false;
  }
}
