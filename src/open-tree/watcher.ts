import { join } from 'node:path';
import { TREE_HINTS_MAX } from '../domain/limits.ts';
import type { FolderWatch } from '../platform/files/folder-watch.ts';
import { isTaskFileName, STATUS_FOLDERS, TASKS_FOLDER } from '../tree/tree-paths.ts';
import { statAt } from './read-tree-file.ts';

export interface WatcherParts {
  /** The data folder. */
  readonly root: string;
  readonly watch: FolderWatch;
  /** Called for each hint. */
  onHint(): void;
}

export interface Hints {
  readonly paths: readonly string[];
  /** Folders with so many hints that some may have been lost. */
  readonly burstIn: readonly string[];
}

interface WatchedFolder {
  readonly ino: number;
  stop(): void;
}

const WATCHED: readonly string[] = [TASKS_FOLDER, ...STATUS_FOLDERS];

/** Collects the system's hints about changed task files. A hint only says which file to check first. */
export class Watcher {
  readonly #parts: WatcherParts;
  readonly #watched = new Map<string, WatchedFolder>();
  #paths = new Set<string>();
  #hinted = new Set<string>();
  #hints = 0;

  constructor(parts: WatcherParts) {
    this.#parts = parts;
  }

  /** Watches folders that were removed and created again. */
  refresh(): void {
    for (const folder of WATCHED) {
      const stat = statAt(this.#parts.root, folder);
      const watched = this.#watched.get(folder);
      if (watched && stat?.ino === watched.ino) continue;
      watched?.stop();
      this.#watched.delete(folder);
      if (stat?.isDirectory()) this.#watch(folder, stat.ino);
    }
  }

  /** Hints since the last call. */
  take(): Hints {
    const isBurst = this.#hints >= TREE_HINTS_MAX;
    const hints = { paths: isBurst ? [] : [...this.#paths], burstIn: isBurst ? [...this.#hinted] : [] };
    this.#paths = new Set();
    this.#hinted = new Set();
    this.#hints = 0;
    return hints;
  }

  stop(): void {
    for (const { stop } of this.#watched.values()) stop();
    this.#watched.clear();
  }

  #watch(folder: string, ino: number): void {
    const stop = this.#parts.watch(join(this.#parts.root, folder), (name) => this.#note(folder, name));
    this.#watched.set(folder, { ino, stop });
  }

  #note(folder: string, name: string | null): void {
    if (name !== null && !isTaskFileName(name)) return;
    this.#hints++;
    if (folder !== TASKS_FOLDER) this.#hinted.add(folder);
    if (name !== null && this.#hints < TREE_HINTS_MAX) this.#paths.add(`${folder}/${name}`);
    this.#parts.onHint();
  }
}
