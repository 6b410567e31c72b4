import type { TaskName } from '../domain/task.ts';
import { selectTaskStatus } from '../ledger/statements/tasks.ts';
import { runPath, taskPath } from '../tree/tree-paths.ts';
import { FolderHealer, type HealParts } from './heal-folders.ts';
import { stampOf, statAt } from './read-tree-file.ts';
import { FolderScan } from './scan-folders.ts';
import { TreeTroubles } from './tree-troubles.ts';

/** Files to reconcile. */
export interface SearchFindings {
  readonly paths: readonly string[];
  readonly goneFolders: ReadonlySet<string>;
}

/** Finds files to check: hinted files with a new stamp, and findings of a scan. */
export class TreeSearch {
  readonly #parts: Omit<HealParts, 'troubles'>;
  readonly #troubles: TreeTroubles;
  readonly #scan: FolderScan;
  readonly #healer: FolderHealer;

  constructor(parts: Omit<HealParts, 'troubles'>) {
    this.#parts = parts;
    this.#troubles = new TreeTroubles(parts);
    this.#scan = new FolderScan(parts);
    this.#healer = new FolderHealer({ ...parts, troubles: this.#troubles });
  }

  async search(paths: readonly string[], folders: readonly string[]): Promise<SearchFindings> {
    const fresh = paths.filter((path) => this.isNew(path));
    if (folders.length === 0) return { paths: fresh, goneFolders: new Set() };
    const findings = await this.#scan.scan(folders);
    await this.#healer.heal(findings);
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
