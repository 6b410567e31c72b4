import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from './durable-files.ts';
import { makeFolders } from './make-folders.ts';
import { folderIdOf } from './trusted-paths.ts';

/** The task that a person named last in a data folder: a file of the state folder, named by the folder's id. */
export class LastTask {
  readonly #file: string | null;

  constructor(stateFolder: string, dataFolder: string) {
    const id = folderIdOf(dataFolder);
    this.#file = id ? join(stateFolder, 'named', id) : null;
  }

  task(): string | null {
    if (this.#file === null) return null;
    try {
      return readFileSync(this.#file, 'utf8').trim() || null;
    } catch {
      // No task was named yet, or the state folder cannot be read: @ then means the newest task.
      return null;
    }
  }

  name(task: string): void {
    if (this.#file === null || this.task() === task) return;
    try {
      makeFolders(dirname(this.#file), 0o700);
      replaceFile(this.#file, `${task}\n`, { isSynced: false });
    } catch {
      // A command must not fail because @ cannot be kept for the next one.
    }
  }
}
