import * as fs from 'node:fs';
import type { TaskName } from '../domain/task.ts';
import type { TaskStatus } from '../domain/task-lifecycle.ts';
import { selectMirrorFiles } from '../ledger/statements/mirror-files.ts';
import { selectTaskStatus } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import { moveFolder } from './tree-files.ts';
import type { TreeParts } from './tree-parts.ts';
import { companionPath, isTaskName, STATUS_FOLDERS, taskPath } from './tree-paths.ts';

/**
 * Moves files and folders of known tasks that lie under another status than their task's: it removes Baton's own
 * files, sets a person's files aside beside the task's file, and moves companion folders to their task.
 */
export async function returnStrays({ files, trouble, slice }: TreeParts, read: Reader): Promise<void> {
  slice.begin();
  files.forgetFolders();
  for (const folder of STATUS_FOLDERS) {
    const entries = trouble.guard(() => entriesOf(files.at(folder))) ?? [];
    await files.sweep(folder);
    for (const name of entries) {
      if (slice.isOver) await slice.rest();
      const task = name.replace(/\.md$/, '');
      if (!isTaskName(task)) continue;
      const status = selectTaskStatus(read, task);
      if (status === null || folder === `tasks/${status}`) continue;
      trouble.guard(() => returnStray({ path: `${folder}/${name}`, task, status }, files, read));
    }
  }
}

interface Stray {
  readonly path: string;
  readonly task: TaskName;
  readonly status: TaskStatus;
}

function returnStray({ path, task, status }: Stray, files: TreeParts['files'], read: Reader): void {
  if (!path.endsWith('.md')) {
    moveFolder(files, path, companionPath(status, task));
    return;
  }
  const own = selectMirrorFiles(read, task).flatMap((row) => [row.sha256, row.nextSha256]);
  files.remove({ path, own: own.filter((each) => each !== null) }, taskPath(status, task));
}

/** Empty for a missing folder or a link. */
function entriesOf(folder: string): string[] {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() ? fs.readdirSync(folder) : [];
}
