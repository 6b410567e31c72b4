import { join } from 'node:path';
import { TASK_FILE_BYTES_MAX } from '../domain/limits.ts';
import { type FileIncident, selectFileIncidents } from '../ledger/statements/incidents.ts';
import { selectMirrorFiles } from '../ledger/statements/mirror-files.ts';
import { hasTask } from '../ledger/statements/tasks.ts';
import { copyOf } from './find-copies.ts';
import { isOpenFolder } from './is-open-folder.ts';
import { readTreeFile, statAt } from './read-tree-file.ts';
import type { ReconcileParts } from './reconcile-parts.ts';

const TROUBLES_LOOKED_AT_MAX = 500;

/** What is wrong with single files and folders of the tree: told once, and over when it is over. */
export class TreeTroubles {
  readonly #parts: ReconcileParts;

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
  }

  /** A folder is gone, or cannot be looked into. */
  async open(kind: 'tree_missing' | 'tree_unreadable', folder: string, detail: string): Promise<void> {
    const { ledger, commands } = this.#parts;
    await ledger.submit(commands.openTrouble, { kind, path: folder, taskId: null, detail });
  }

  async closeWhatIsOver(): Promise<void> {
    const { ledger, commands, read } = this.#parts;
    const over = selectFileIncidents(read, TROUBLES_LOOKED_AT_MAX).filter((incident) => this.#isOver(incident));
    if (over.length > 0) await ledger.submit(commands.closeTroubles, { ids: over.map(({ id }) => id) });
  }

  #isOver(incident: FileIncident): boolean {
    const isThere = statAt(this.#parts.root, incident.path) !== undefined;
    switch (incident.kind) {
      case 'unreadable_file':
        return !isThere || this.#isReadable(incident);
      case 'tree_missing':
        return isThere;
      case 'tree_unreadable':
        return isOpenFolder(join(this.#parts.root, incident.path));
      default:
        // What was put aside stays open until somebody has taken it away.
        return !isThere;
    }
  }

  #isReadable({ path, taskId }: FileIncident): boolean {
    const { root, read } = this.#parts;
    const reading = readTreeFile({ root, path, bytesMax: TASK_FILE_BYTES_MAX });
    if (reading.kind !== 'file') return false;
    if (taskId !== null && selectMirrorFiles(read, taskId).some((row) => row.sha256 === reading.sha256)) return true;
    const copy = copyOf(path, reading);
    // One that names no known task is over when it was adopted, which takes it away.
    return copy.kind === 'file' && copy.content !== null && copy.content.id !== null && hasTask(read, copy.content.id);
  }
}
