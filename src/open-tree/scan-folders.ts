import * as fs from 'node:fs';
import { join } from 'node:path';
import { TASK_FILE_BYTES_MAX, TREE_CHECKS_PER_BATCH_MAX } from '../domain/limits.ts';
import { selectMirrorFilesBelow } from '../ledger/statements/mirror-files.ts';
import { selectTaskStatus } from '../ledger/statements/tasks.ts';
import { isTaskFileName, isTaskName, runPath, STATUS_FOLDERS, TASKS_FOLDER } from '../tree/tree-paths.ts';
import { readTreeFile, stampOf, statAt } from './read-tree-file.ts';
import type { ReconcileParts } from './reconcile-parts.ts';

/** Differences that a scan found between the folders and the ledger. */
export interface ScanFindings {
  /** Files to reconcile. */
  readonly paths: string[];
  readonly goneFolders: Set<string>;
  /** Unreadable folders, each with the reason. */
  readonly closedFolders: Map<string, string>;
  /** Companion folders under another status than their task's. */
  readonly strayFolders: string[];
}

/**
 * Scans folders of the tree. It compares recorded files by stamp and reads only those with a new one; any other file
 * that could be a person's is a finding. It decides nothing.
 */
export class FolderScan {
  readonly #parts: ReconcileParts;

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
  }

  async scan(folders: readonly string[]): Promise<ScanFindings> {
    const findings: ScanFindings = { paths: [], goneFolders: new Set(), closedFolders: new Map(), strayFolders: [] };
    this.#parts.slice.begin();
    for (const folder of folders) await this.#scanFolder(folder, findings);
    await this.#scanBeside(findings);
    return findings;
  }

  async #scanFolder(folder: string, findings: ScanFindings): Promise<void> {
    const names = await this.#namesIn(folder, findings);
    if (names === null) return;
    const left = new Set(names);
    for (let after: string | null = null; ; ) {
      const page = selectMirrorFilesBelow(this.#parts.read, { folder, after, limit: TREE_CHECKS_PER_BATCH_MAX });
      for (const { path, sha256 } of page) {
        if (this.#parts.slice.isOver) await this.#parts.slice.rest();
        const name = path.slice(folder.length + 1);
        if (name.includes('/')) continue;
        if (!left.delete(name) || !this.#isUntouched(path, sha256)) findings.paths.push(path);
        this.#checkResult(name, findings);
      }
      after = page.at(-1)?.path ?? null;
      if (after === null) break;
    }
    for (const name of left) this.#noteUnknown(`${folder}/${name}`, name, findings);
  }

  /** Null if the folder is unreadable: then none of its files is judged. */
  async #namesIn(folder: string, findings: ScanFindings): Promise<string[] | null> {
    const at = join(this.#parts.root, folder);
    try {
      const stat = fs.lstatSync(at, { throwIfNoEntry: false });
      if (stat?.isDirectory()) return await fs.promises.readdir(at);
      if (stat) findings.closedFolders.set(folder, 'it is not a folder');
      else findings.goneFolders.add(folder);
      return stat ? null : [];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      findings.closedFolders.set(folder, (error as Error).message);
      return null;
    }
  }

  #isUntouched(path: string, sha256: string | null): boolean {
    const { root, seen } = this.#parts;
    const stat = statAt(root, path);
    if (!stat?.isFile()) return false;
    if (seen.has(path, stampOf(stat))) return true;
    const reading = readTreeFile({ root, path, bytesMax: TASK_FILE_BYTES_MAX });
    if (reading.kind !== 'file' || reading.sha256 !== sha256) return false;
    seen.remember(path, reading.stamp);
    return true;
  }

  /** A result that the mirror did not write may be an agent's report. */
  #checkResult(name: string, { paths }: ScanFindings): void {
    const { root, seen } = this.#parts;
    const task = name.slice(0, -3);
    if (!isTaskName(task)) return;
    const path = runPath(task, 'run_result.json', null);
    const stat = statAt(root, path);
    if (stat && !seen.has(path, stampOf(stat))) paths.push(path);
  }

  #noteUnknown(path: string, name: string, { paths, strayFolders }: ScanFindings): void {
    if (isTaskFileName(name)) paths.push(path);
    if (!isTaskName(name)) return;
    const status = selectTaskStatus(this.#parts.read, name);
    if (status !== null && path !== `${TASKS_FOLDER}/${status}/${name}`) strayFolders.push(path);
  }

  /** Scans `tasks/` itself and its folders that are not a status. */
  async #scanBeside(findings: ScanFindings): Promise<void> {
    const names = await this.#namesIn(TASKS_FOLDER, { ...findings, goneFolders: new Set(), closedFolders: new Map() });
    for (const name of names ?? []) {
      const path = `${TASKS_FOLDER}/${name}`;
      if (STATUS_FOLDERS.includes(path)) continue;
      if (isTaskFileName(name)) findings.paths.push(path);
      const stat = statAt(this.#parts.root, path);
      if (!stat?.isDirectory() || name.startsWith('.')) continue;
      const inside = (await this.#namesIn(path, findings)) ?? [];
      findings.paths.push(...inside.filter(isTaskFileName).map((each) => `${path}/${each}`));
    }
  }
}
