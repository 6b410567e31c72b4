import * as fs from 'node:fs';
import { join } from 'node:path';
import { selectMirrorFilesBelow } from '../ledger/statements/mirror-files.ts';
import { CompanionFolders, type CompanionParts } from './companion-folders.ts';
import { EventFiles, type EventFilesParts } from './event-files.ts';
import { isOpenFolder } from './is-open-folder.ts';
import type { ReconcileParts } from './reconcile-parts.ts';
import type { PassFindings } from './tree-pass.ts';
import { TASKS_FOLDER } from './tree-paths.ts';

export type HealParts = ReconcileParts & EventFilesParts & CompanionParts;

/** Puts folders right that were taken away, closed, or moved. */
export class FolderHealer {
  readonly #parts: HealParts;
  readonly #companions: CompanionFolders;
  readonly #events: EventFiles;

  constructor(parts: HealParts) {
    this.#parts = parts;
    this.#events = new EventFiles(parts);
    this.#companions = new CompanionFolders(parts);
  }

  async heal({ goneFolders, closedFolders, strayFolders }: PassFindings): Promise<void> {
    const { troubles, root } = this.#parts;
    const [some] = closedFolders.values();
    const isAllClosed = some !== undefined && !isOpenFolder(join(root, TASKS_FOLDER));
    for (const [folder, problem] of isAllClosed ? [[TASKS_FOLDER, some] as const] : closedFolders) {
      await troubles.open('tree_unreadable', folder, `${folder} cannot be looked into: ${problem}`);
    }
    const missed = [...goneFolders].filter((folder) => this.#hadFiles(folder));
    const isAllGone = !fs.existsSync(join(root, TASKS_FOLDER)) && missed.length > 0;
    for (const folder of isAllGone ? [TASKS_FOLDER] : missed) {
      await troubles.open('tree_missing', folder, `${folder} is gone; its files are written again`);
    }
    for (const folder of goneFolders)
      this.#tryTo(() => fs.mkdirSync(join(root, folder), { recursive: true, mode: 0o700 }));
    for (const folder of strayFolders) this.#tryTo(() => this.#companions.bringHome(folder));
    await this.#events.heal();
  }

  /** A folder in which nothing lay is made again without a word, as at the first start. */
  #hadFiles(folder: string): boolean {
    return selectMirrorFilesBelow(this.#parts.read, { folder, after: null, limit: 1 }).length > 0;
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
