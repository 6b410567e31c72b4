import type { Grant } from '../../agents/sandbox/sandbox.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';

/** The path at which a sandbox shows the folder of the task. */
export const TASK_FOLDER_SHOWN_AT = '/baton/task';

/** The folder of a task that its agent sees: inputs/, and work/ and outputs/ to write to. */
interface TaskFolder {
  /** Absolute. */
  readonly root: string;
  /** The names of files and folders in inputs/. */
  readonly inputs: readonly string[];
}

/** The folders of tasks, which exist while an agent uses them. */
export interface OpenTaskFolders {
  /** Null where the folder cannot be made. */
  open(task: TaskName): Promise<TaskFolder | null>;
  /** Removes it if it is empty. */
  close(task: TaskName): void;
}

/** Null for an order without access to files. */
export async function taskFolderOf(taskFolders: OpenTaskFolders, { task, execution }: OpenOrder) {
  const { readPaths, writePaths } = execution.order.access;
  if (readPaths.length === 0 && writePaths.length === 0) return null;
  const folder = await taskFolders.open(task.id);
  return folder && { ...folder, parts: writePaths.length === 0 ? ['inputs'] : ['inputs', 'work', 'outputs'] };
}

/** The inputs of a task, at the paths where its agent finds them. */
export function givenFiles(folder: TaskFolder | null, isSandboxed: boolean): readonly string[] {
  const root = isSandboxed ? TASK_FOLDER_SHOWN_AT : folder?.root;
  return (folder?.inputs ?? []).map((name) => `${root}/inputs/${name}`);
}

/** Shows inputs/ for reading, work/ and outputs/ for writing: nothing else of the data folder (aof:hand-edits). */
export function withTaskFolder(
  grant: Grant,
  { root, parts }: { readonly root: string; readonly parts: readonly string[] },
): Grant {
  const shown = parts.map((part) => ({ from: `${root}/${part}`, at: `${TASK_FOLDER_SHOWN_AT}/${part}` }));
  const [inputs, ...writable] = shown.map(({ at }) => at);
  return {
    ...grant,
    mounts: [...shown, ...grant.mounts],
    readPaths: [...grant.readPaths, ...(inputs === undefined ? [] : [inputs])],
    writePaths: [...grant.writePaths, ...writable.map((at) => `${at}/`)],
  };
}
