import type { TaskName } from '../domain/task.ts';
import { TASK_STATUSES, type TaskStatus } from '../domain/task-lifecycle.ts';
import { TreeFault } from './tree-fault.ts';

// Paths of the tree are relative to the data folder and have forward slashes: the ledger keeps them so.

const TASK_NAME = /^TASK-\d{4}-\d{2}-\d{2}-\d{3}$/;
const RUN_PATH = /^runs\/[^/]+\/(?:attempts\/(\d+)\/)?[^/]+$/;

export const STATUS_FOLDERS: readonly string[] = TASK_STATUSES.map((status) => `tasks/${status}`);
export const EVENTS_FOLDER = 'events';
export const TASKS_FOLDER = 'tasks';
const RUNS_FOLDER = 'runs';
/** There from the first start on. */
export const TREE_FOLDERS: readonly string[] = [...STATUS_FOLDERS, RUNS_FOLDER, EVENTS_FOLDER];

export type RunFile = 'run.json' | 'run_heartbeat.json' | 'run_result.json';

/** D-A10: a task's file, and the result that an agent may write itself. */
const OPEN_PATH = /^tasks\/[^/]+\/TASK-\d{4}-\d{2}-\d{2}-\d{3}\.md$|^runs\/[^/]+\/run_result\.json$/;

export function isOpenToPeople(path: string): boolean {
  return OPEN_PATH.test(path);
}

// No hidden file, no swap file, no copy with a tilde; nothing that would not be told from others on a screen.
const LOOKED_AT = /^[\p{L}\p{N}_(][\p{L}\p{N}\p{M} ._()+@,='&!#-]{0,200}\.md$/u;
const KEPT_ASIDE = /\.rejected(?:-\d+)?\.md$/;

/** May a file of this name be a person's task? What editors leave beside it, and what Baton put aside, is none. */
export function isTaskFileName(name: string): boolean {
  return LOOKED_AT.test(name) && !KEPT_ASIDE.test(name);
}

/** Is it the file of the task itself, under whatever status? */
export function isTaskFile(path: string, task: TaskName): boolean {
  return path.endsWith(`/${task}.md`) && path.split('/').length === 3;
}

/** The task that a path of the tree is about. */
export function taskOf(path: string): TaskName | null {
  return (/TASK-\d{4}-\d{2}-\d{2}-\d{3}/.exec(path)?.[0] ?? null) as TaskName | null;
}

/** Only a name of the document's form becomes part of a path. */
export function isTaskName(name: string): name is TaskName {
  return TASK_NAME.test(name);
}

function named(task: TaskName): TaskName {
  if (isTaskName(task)) return task;
  throw new TreeFault('bad_name', `${JSON.stringify(task)} is no name for a file`, '');
}

export function taskPath(status: TaskStatus, task: TaskName): string {
  return `tasks/${status}/${named(task)}.md`;
}

/** The companion folder: what goes in, what is worked on, what came out. */
export function companionPath(status: TaskStatus, task: TaskName): string {
  return `tasks/${status}/${named(task)}`;
}

/** Of the newest run, or of an earlier one by its fence. */
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
