import { isMirrored } from '../ledger/statements/mirror-files.ts';
import { selectTaskStatus } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import type { Ids } from '../platform/ids.ts';
import { HeldEdits } from './held-edits.ts';
import { moveFolder } from './move-folder.ts';
import { TreeFiles } from './tree-files.ts';
import { companionPath, isTaskName } from './tree-paths.ts';

export interface CompanionParts {
  /** The data folder. */
  readonly root: string;
  readonly read: Reader;
  readonly ids: Ids;
}

/** Companion folders that somebody put under another status than their task's. */
export class CompanionFolders {
  readonly #read: Reader;
  readonly #files: TreeFiles;

  constructor({ root, read, ids }: CompanionParts) {
    this.#read = read;
    // What two folders both have is told apart by its name: nothing is lost, and nobody has to judge it.
    this.#files = new TreeFiles({ root, ids, edits: new HeldEdits(), onKept: () => {} });
  }

  /** To where its task is, unless the mirror is about to bring it there. */
  bringHome(folder: string): void {
    const task = folder.slice(folder.lastIndexOf('/') + 1);
    if (!isTaskName(task) || !isMirrored(this.#read, task)) return;
    const status = selectTaskStatus(this.#read, task);
    this.#files.lookAgain();
    if (status !== null) moveFolder(this.#files, folder, companionPath(status, task));
  }
}
