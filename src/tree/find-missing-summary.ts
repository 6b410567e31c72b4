import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import type { AofEnvelope } from '../protocols/aof/schema/messages.ts';
import { companionPath } from './tree-paths.ts';

/** D-A7: the summary that a report names and that is not in the folder of its task. */
export function findMissingSummary(ledger: Reader, root: string, message: AofEnvelope): string | null {
  if (message.type !== 'completion.report') return null;
  const task = selectTask(ledger, message.taskId);
  if (!task) return null;
  const { summaryRef } = message.payload;
  const folder = join(root, companionPath(task.status, task.id));
  return hasCompanionFile(folder, summaryRef) ? null : summaryRef;
}

/** What leads out of the task's own folder is not looked at. */
function hasCompanionFile(folder: string, reference: string): boolean {
  if (isAbsolute(reference) || reference.includes('\0')) return false;
  try {
    // Most often there is none, and one call tells.
    if (statSync(join(folder, reference), { throwIfNoEntry: false }) === undefined) return false;
    const inside = realpathSync(folder);
    const file = realpathSync(join(folder, reference));
    return file.startsWith(inside + sep) && statSync(file).isFile();
  } catch {
    // Not there, or not to be read: for the sender of the reference that is the same.
    return false;
  }
}
