import * as fs from 'node:fs';
import { join } from 'node:path';
import type { TaskName } from '../domain/task/task.ts';
import { isMirrored, selectMirrorFilesBelow } from '../ledger/statements/mirror-files.ts';
import { selectTaskStatus } from '../ledger/statements/tasks.ts';
import { makeFoldersIn } from '../platform/files/make-folders.ts';
import type { Ids } from '../platform/ids.ts';
import { HeldEdits } from '../tree/held-edits.ts';
import type { Mirror } from '../tree/mirror.ts';
import { moveFolder, TreeFiles } from '../tree/tree-files.ts';
import { companionPath, EVENTS_FOLDER, isTaskName, runPath, TASKS_FOLDER, taskPath } from '../tree/tree-paths.ts';
import { isOpenFolder, stampOf, statAt } from './read-tree-file.ts';
import type { ReconcileParts } from './reconcile-parts.ts';
import { FolderScan, type ScanFindings } from './scan-folders.ts';
import { TreeTroubles } from './tree-troubles.ts';

interface SearchParts extends ReconcileParts {
  readonly mirror: Pick<Mirror, 'restoreEvents'>;
  readonly ids: Ids;
}

/** Files to reconcile. */
interface SearchFindings {
  readonly paths: readonly string[];
  readonly goneFolders: ReadonlySet<string>;
}

/** Finds files to check: hinted files with a new stamp, and findings of a scan. */
export class TreeSearch {
  readonly #parts: SearchParts;
  readonly #troubles: TreeTroubles;
  readonly #scan: FolderScan;
  readonly #repair: FolderRepair;

  constructor(parts: SearchParts) {
    this.#parts = parts;
    this.#troubles = new TreeTroubles(parts);
    this.#scan = new FolderScan(parts);
    this.#repair = new FolderRepair({ ...parts, troubles: this.#troubles });
  }

  async search(paths: readonly string[], folders: readonly string[]): Promise<SearchFindings> {
    const fresh = paths.filter((path) => this.isNew(path));
    if (folders.length === 0) return { paths: fresh, goneFolders: new Set() };
    const findings = await this.#scan.scan(folders);
    await this.#repair.repair(findings);
    return { paths: [...fresh, ...findings.paths], goneFolders: findings.goneFolders };
  }

  /** Files of these tasks that people may have changed. */
  pathsOf(tasks: Iterable<TaskName>): string[] {
    return [...tasks].flatMap((task) => {
      const status = selectTaskStatus(this.#parts.read, task);
      return status === null ? [] : [taskPath(status, task), runPath(task, 'run_result.json', null)];
    });
  }

  async closeTroubles(): Promise<void> {
    await this.#troubles.closeFixed();
  }

  /** False for a file that is as Baton wrote it or last read it. */
  isNew(path: string): boolean {
    const { root, seen } = this.#parts;
    const stat = statAt(root, path);
    return !stat || !seen.has(path, stampOf(stat));
  }
}

interface RepairParts extends SearchParts {
  readonly troubles: TreeTroubles;
}

/** Repairs folders of the tree that were removed, closed or moved. */
class FolderRepair {
  readonly #parts: RepairParts;
  readonly #files: TreeFiles;
  /** Names of the event files at the last scan. */
  #eventFiles: ReadonlySet<string> = new Set();

  constructor(parts: RepairParts) {
    this.#parts = parts;
    const { root, ids } = parts;
    // Of two companion folders with the same file both files are kept, under two names: nothing needs judging.
    this.#files = new TreeFiles({ root, ids, edits: new HeldEdits(false), onKept: () => {} });
  }

  async repair({ goneFolders, closedFolders, strayFolders }: ScanFindings): Promise<void> {
    const { troubles, root } = this.#parts;
    const [some] = closedFolders.values();
    const isAllClosed = some !== undefined && !isOpenFolder(join(root, TASKS_FOLDER));
    for (const [folder, problem] of isAllClosed ? [[TASKS_FOLDER, some] as const] : closedFolders) {
      await troubles.open('tree_unreadable', folder, `${folder} cannot be read: ${problem}`);
    }
    const missed = [...goneFolders].filter((folder) => this.#hadFiles(folder));
    const isAllGone = !fs.existsSync(join(root, TASKS_FOLDER)) && missed.length > 0;
    for (const folder of isAllGone ? [TASKS_FOLDER] : missed) {
      await troubles.open('tree_missing', folder, `${folder} is gone; its files are written again`);
    }
    for (const folder of goneFolders) tryTo(() => makeFoldersIn(root, join(root, folder)));
    for (const folder of strayFolders) tryTo(() => this.#returnCompanion(folder));
    await this.#repairEventFiles();
  }

  /** A folder that held no file is created again without an incident, as at the first start. */
  #hadFiles(folder: string): boolean {
    return selectMirrorFilesBelow(this.#parts.read, { folder, after: null, limit: 1 }).length > 0;
  }

  /** Moves a companion folder to the status of its task, unless the mirror is about to. */
  #returnCompanion(folder: string): void {
    const { read } = this.#parts;
    const task = folder.slice(folder.lastIndexOf('/') + 1);
    if (!isTaskName(task) || !isMirrored(read, task)) return;
    const status = selectTaskStatus(read, task);
    this.#files.forgetFolders();
    if (status !== null) moveFolder(this.#files, folder, companionPath(status, task));
  }

  /** The mirror reads only the end of the newest event file, so it does not notice that another is gone. */
  async #repairEventFiles(): Promise<void> {
    const { troubles, mirror } = this.#parts;
    const now = this.#eventFileNames();
    const missing = [...this.#eventFiles.difference(now)];
    this.#eventFiles = now;
    if (missing.length === 0) return;
    const path = `${EVENTS_FOLDER}/${missing[0]}`;
    await troubles.open('tree_missing', path, `${missing.length} event files are gone; they are written again`);
    await mirror.restoreEvents();
    this.#eventFiles = this.#eventFileNames();
  }

  #eventFileNames(): Set<string> {
    try {
      const names = fs.readdirSync(join(this.#parts.root, EVENTS_FOLDER));
      return new Set(names.filter((name) => name.endsWith('.jsonl')));
    } catch {
      // No such folder: no event files.
      return new Set();
    }
  }
}

/** The next scan finds again what fails now. */
function tryTo(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}
