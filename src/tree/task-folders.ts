import { existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { AGENT_INPUTS_LISTED_MAX, TREE_WAIT_MS_MAX } from '../domain/limits.ts';
import type { TaskName } from '../domain/task/task.ts';
import { waitAtMost } from '../platform/timer.ts';
import { companionPath, STATUS_FOLDERS, taskPath } from './tree-paths.ts';

/** The folder of a running task, with inputs/, work/ and outputs/. */
export interface OpenTaskFolder {
  /** Absolute. */
  readonly root: string;
  /** The names of files and folders in inputs/. */
  readonly inputs: readonly string[];
}

interface Parts {
  /** The data folder. */
  readonly root: string;
  /** Resolves when the tree shows the tasks in their present statuses. */
  settled(tasks: readonly TaskName[]): Promise<void>;
}

const PARTS = ['inputs', 'work', 'outputs'] as const;

/** Prepares the folder of a task for its agent (aof:task-file), and removes it after the run if it is empty. */
export class TaskFolders {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The folder of a task in progress; null where the tree cannot be written, which has an incident of its own. */
  async open(task: TaskName): Promise<OpenTaskFolder | null> {
    if (this.#isAboutToMove(task)) {
      const isSettled = await waitAtMost(this.#parts.settled([task]), TREE_WAIT_MS_MAX);
      if (!isSettled || this.#isElsewhere(task)) return null;
    }
    const root = this.#at(task);
    try {
      for (const folder of ['tasks', 'tasks/in-progress']) ensureFolder(`${this.#parts.root}/${folder}`);
      for (const folder of [root, ...PARTS.map((part) => `${root}/${part}`)]) ensureFolder(folder);
      return { root, inputs: readdirSync(`${root}/inputs`).slice(0, AGENT_INPUTS_LISTED_MAX) };
    } catch {
      // A link in its place, or a disk that takes nothing: the agent works without the folder.
      return null;
    }
  }

  /** A file in the folder keeps all of it. */
  close(task: TaskName): void {
    const root = this.#at(task);
    try {
      const parts = PARTS.map((part) => `${root}/${part}`);
      if (parts.some((part) => readdirSync(part).length > 0)) return;
      for (const folder of [...parts, root]) rmdirSync(folder);
    } catch {
      // It is gone, or a person put something there meanwhile.
    }
  }

  #at(task: TaskName): string {
    return `${this.#parts.root}/${companionPath('in-progress', task)}`;
  }

  /**
   * The mirror moves the folder a moment after the claim: from an earlier status, or, where it still shows the run
   * before, to `ready` and back.
   */
  #isAboutToMove(task: TaskName): boolean {
    return this.#isElsewhere(task) || existsSync(`${this.#parts.root}/${taskPath('in-progress', task)}`);
  }

  #isElsewhere(task: TaskName): boolean {
    const { root } = this.#parts;
    return STATUS_FOLDERS.some((status) => status !== 'tasks/in-progress' && existsSync(`${root}/${status}/${task}`));
  }
}

/** Follows no link. */
function ensureFolder(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) mkdirSync(path, { mode: 0o700 });
  else if (!stat.isDirectory()) throw new Error(`${path} is not a folder`);
}
