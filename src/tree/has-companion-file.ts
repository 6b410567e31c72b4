import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import type { Task } from '../domain/task.ts';
import { companionPath } from './tree-paths.ts';

/** Is there a file under this reference in the task's own folder (D-A7)? What leads out of it is not looked at. */
export function hasCompanionFile(root: string, task: Task, reference: string): boolean {
  if (isAbsolute(reference) || reference.includes('\0')) return false;
  const folder = join(root, companionPath(task.status, task.id));
  try {
    const inside = realpathSync(folder);
    const file = realpathSync(join(folder, reference));
    return file.startsWith(inside + sep) && statSync(file).isFile();
  } catch {
    // Not there, or not to be read: for the sender of the reference that is the same.
    return false;
  }
}
