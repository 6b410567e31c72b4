import * as fs from 'node:fs';
import { join } from 'node:path';
import { isMirrored, selectMirrorFilesBelow } from '../ledger/statements/mirror-files.ts';
import { selectTaskStatus } from '../ledger/statements/select-task.ts';
import type { Ids } from '../platform/ids.ts';
import { EventFiles, type EventFilesParts } from './event-files.ts';
import { HeldEdits } from './held-edits.ts';
import { moveFolder } from './move-folder.ts';
import type { ReconcileParts } from './reconcile-parts.ts';
import { TreeFiles } from './tree-files.ts';
import type { PassFindings } from './tree-pass.ts';
import { companionPath, isTaskName, TASKS_FOLDER } from './tree-paths.ts';

export interface HealParts extends ReconcileParts, EventFilesParts {
  readonly ids: Ids;
}

/** Puts folders right that were taken away, closed, or moved. */
export class FolderHealer {
  readonly #parts: HealParts;
  readonly #files: TreeFiles;
  readonly #events: EventFiles;

  constructor(parts: HealParts) {
    this.#parts = parts;
    const { root, ids } = parts;
    this.#events = new EventFiles(parts);
    // What two folders both have is told by its name: nothing is lost, and nobody has to judge it.
    this.#files = new TreeFiles({ root, ids, edits: new HeldEdits(), onKept: () => {} });
  }

  async heal({ goneFolders, closedFolders, strayFolders }: PassFindings): Promise<void> {
    const { troubles, root } = this.#parts;
    for (const [folder, problem] of closedFolders) {
      await troubles.open('tree_unreadable', folder, `${folder} cannot be looked into: ${problem}`);
    }
    const missed = [...goneFolders].filter((folder) => this.#hadFiles(folder));
    const isAllGone = !fs.existsSync(join(root, TASKS_FOLDER)) && missed.length > 0;
    for (const folder of isAllGone ? [TASKS_FOLDER] : missed) {
      await troubles.open('tree_missing', folder, `${folder} is gone; its files are written again`);
    }
    for (const folder of goneFolders)
      this.#tryTo(() => fs.mkdirSync(join(root, folder), { recursive: true, mode: 0o700 }));
    this.#files.lookAgain();
    for (const folder of strayFolders) this.#tryTo(() => this.#bringHome(folder));
    await this.#events.heal();
  }

  /** A folder in which nothing lay is made again without a word, as at the first start. */
  #hadFiles(folder: string): boolean {
    return selectMirrorFilesBelow(this.#parts.read, { folder, after: null, limit: 1 }).length > 0;
  }

  #bringHome(folder: string): void {
    const { read } = this.#parts;
    const task = folder.slice(folder.lastIndexOf('/') + 1);
    if (!isTaskName(task) || !isMirrored(read, task)) return;
    const status = selectTaskStatus(read, task);
    if (status !== null) moveFolder(this.#files, folder, companionPath(status, task));
  }

  /** What cannot be done now is found again by the next look. */
  #tryTo(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }
}
