import * as fs from 'node:fs';
import { join } from 'node:path';
import { TASK_FILE_BYTES_MAX } from '../domain/limits.ts';
import { TASK_STATUSES, type TaskStatus } from '../domain/task-lifecycle.ts';
import type { TaskContent } from '../domain/task-text.ts';
import { isTaskFileName } from '../tree/tree-paths.ts';
import { readTaskFile } from './read-task-file.ts';
import { readTreeFile } from './read-tree-file.ts';

export interface TaskFileRead {
  readonly path: string;
  readonly folder: TaskStatus;
  readonly content: TaskContent;
  /** Null if the file has none. */
  readonly revision: number | null;
}

export interface UnreadFile {
  readonly path: string;
  readonly problem: string;
}

/** Reads every task's file, one folder at a time; `onUnread` gets the files that are not tasks. */
export function* readTasks(root: string, onUnread: (file: UnreadFile) => void): Generator<TaskFileRead> {
  for (const folder of TASK_STATUSES) {
    for (const name of namesIn(join(root, 'tasks', folder))) {
      const path = `tasks/${folder}/${name}`;
      const reading = readTreeFile({ root, path, bytesMax: TASK_FILE_BYTES_MAX });
      if (reading.kind === 'absent') continue;
      if (reading.kind === 'strange') {
        onUnread({ path, problem: reading.problem });
        continue;
      }
      const task = readTaskFile(reading.bytes, folder);
      if (task.kind === 'task') yield { path, folder, content: task.content, revision: task.revision };
      else onUnread({ path, problem: task.kind === 'empty' ? 'it is empty' : task.problem });
    }
  }
}

function namesIn(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter(isTaskFileName).sort() : [];
}
