import { TASK_NAME, TASK_NAME_INSIDE, type TaskName } from '../domain/task/task.ts';
import { TASK_STATUSES, type TaskStatus } from '../domain/task/task-lifecycle.ts';
import { TreeFault } from './tree-fault.ts';

// Paths of the tree are relative to the data folder and have forward slashes, also in the ledger.

const RUN_PATH = /^runs\/[^/]+\/(?:attempts\/(\d+)\/)?[^/]+$/;

export const STATUS_FOLDERS: readonly string[] = TASK_STATUSES.map((status) => `tasks/${status}`);
export const EVENTS_FOLDER = 'events';
export const TASKS_FOLDER = 'tasks';
const RUNS_FOLDER = 'runs';
/** Created at the first start. */
export const TREE_FOLDERS: readonly string[] = [...STATUS_FOLDERS, RUNS_FOLDER, EVENTS_FOLDER];

export type RunFile = 'run.json' | 'run_heartbeat.json' | 'run_result.json';

/** A task's file (aof:hand-edits), and the result that an agent may write itself (aof:own-result). */
const OPEN_PATH = new RegExp(`^tasks/[^/]+/${TASK_NAME_INSIDE.source}\\.md$|^runs/[^/]+/run_result\\.json$`);

export function isOpenToPeople(path: string): boolean {
  return OPEN_PATH.test(path);
}

// No hidden file, no swap file, no copy with a tilde, no character that looks like another.
const LOOKED_AT = /^[\p{L}\p{N}_(][\p{L}\p{N}\p{M} ._()+@,='&!#-]{0,200}\.md$/u;
const KEPT_ASIDE = /\.rejected(?:-\d+)?\.md$/;

/** True if a person's task may have this file name. Editors' temporary files and files set aside do not. */
export function isTaskFileName(name: string): boolean {
  return LOOKED_AT.test(name) && !KEPT_ASIDE.test(name);
}

/** True for the file of the task itself, under any status. */
export function isTaskFile(path: string, task: TaskName): boolean {
  return path.endsWith(`/${task}.md`) && path.split('/').length === 3;
}

/** The task that a path belongs to. */
export function taskOf(path: string): TaskName | null {
  return (TASK_NAME_INSIDE.exec(path)?.[0] ?? null) as TaskName | null;
}

/** Only a name of this form becomes part of a path. */
export function isTaskName(name: string): name is TaskName {
  return TASK_NAME.test(name);
}

function named(task: TaskName): TaskName {
  if (isTaskName(task)) return task;
  throw new TreeFault('bad_name', `${JSON.stringify(task)} is not a task name`, '');
}

export function taskPath(status: TaskStatus, task: TaskName): string {
  return `tasks/${status}/${named(task)}.md`;
}

/** The companion folder, with inputs/, work/ and outputs/. */
export function companionPath(status: TaskStatus, task: TaskName): string {
  return `tasks/${status}/${named(task)}`;
}

/** A file of the newest run, or of an earlier one by its fence. */
export function runPath(task: TaskName, file: RunFile, attempt: number | null): string {
  const folder = `${RUNS_FOLDER}/${named(task)}`;
  return attempt === null ? `${folder}/${file}` : `${folder}/attempts/${attempt}/${file}`;
}

/** The fence of an earlier run's file, 0 for a file of the newest run, null for any other file. */
export function attemptOf(path: string): number | null {
  const match = RUN_PATH.exec(path);
  return match ? Number(match[1] ?? 0) : null;
}

/** `tasks/<status>` of a task's file or of a file in its companion folder. */
export function statusFolderOf(path: string): string {
  return path.split('/', 2).join('/');
}

export function dayPath(day: string): string {
  return `${EVENTS_FOLDER}/${day}.jsonl`;
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
