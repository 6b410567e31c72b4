import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Refusal } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task.ts';

/** The content of tasks between nodes: the files that they work on, and those that come back. */
export interface RemoteContent {
  /** At the sender, before the task_create is written: the content that goes along; null for none. */
  packWork(task: TaskName): Promise<{ readonly parcel: unknown } | Refusal>;
  /** At the receiver, before the run: the folder that the task works in. */
  unpackWork(work: ReceivedWork): Promise<{ readonly workspace: string } | Refusal>;
  /** At the receiver, after the run: the result on its way back; null for none. */
  packResult(task: TaskName): Promise<{ readonly parcel: unknown } | Refusal>;
  /** At the sender: brings the result in. */
  importResult(result: ReturnedWork): Promise<{ readonly isImported: boolean } | Refusal>;
}

export interface ReceivedWork {
  readonly parcel: unknown;
  readonly from: string;
  /** Names the folder. */
  readonly name: string;
}

export interface ReturnedWork {
  readonly task: TaskName;
  readonly node: string;
  readonly agent: string;
  readonly parcel: unknown;
}

/** No content travels: a task works in an empty folder of the other node. */
export function emptyContent(dataFolder: string): RemoteContent {
  return {
    packWork: async () => ({ parcel: null }),
    unpackWork: async ({ name }) => {
      const workspace = join(dirname(dataFolder), 'baton-tasks', name);
      mkdirSync(workspace, { recursive: true, mode: 0o700 });
      return { workspace };
    },
    packResult: async () => ({ parcel: null }),
    importResult: async () => ({ isImported: false }),
  };
}
