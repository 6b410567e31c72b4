import { join } from 'node:path';
import { DISPATCHER } from '../domain/task/decide-sender.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import {
  closeIncident,
  type FileIncident,
  insertIncident,
  selectFileIncident,
  selectFileIncidents,
} from '../ledger/statements/incidents.ts';
import type { Tx } from '../ledger/tx.ts';
import { isReadable } from './find-copies.ts';
import { isOpenFolder, statAt } from './read-tree-file.ts';
import type { ReconcileParts } from './reconcile-parts.ts';

const TROUBLES_CHECKED_MAX = 500;

export interface TreeTrouble {
  readonly kind: string;
  /** The affected file or folder. */
  readonly path: string;
  readonly taskId: TaskName | null;
  readonly detail: string;
}

/** Incidents about single files and folders of the tree. */
export class TreeTroubles {
  readonly #parts: ReconcileParts;

  constructor(parts: ReconcileParts) {
    this.#parts = parts;
  }

  async open(kind: 'tree_missing' | 'tree_unreadable', folder: string, detail: string): Promise<void> {
    await this.#parts.ledger.submit(openTrouble, { kind, path: folder, taskId: null, detail });
  }

  async closeFixed(): Promise<void> {
    const { ledger, read } = this.#parts;
    const fixed = selectFileIncidents(read, TROUBLES_CHECKED_MAX).filter((incident) => this.#isFixed(incident));
    if (fixed.length > 0) await ledger.submit(closeTroubles, { ids: fixed.map(({ id }) => id) });
  }

  #isFixed(incident: FileIncident): boolean {
    const isThere = statAt(this.#parts.root, incident.path) !== undefined;
    switch (incident.kind) {
      case 'unreadable_file':
        return !isThere || isReadable(incident, this.#parts);
      case 'tree_missing':
        return isThere;
      case 'tree_unreadable':
        return isOpenFolder(join(this.#parts.root, incident.path));
      default:
        // The incident of a file that was set aside stays open until somebody removes the file.
        return !isThere;
    }
  }
}

export const openTrouble: Command<TreeTrouble, object> = (tx, trouble) => {
  openOnce(tx, trouble);
  return {};
};

/** At most one incident of a kind is open for a path. */
export function openOnce(tx: Tx, { kind, path, taskId, detail }: TreeTrouble): void {
  if (selectFileIncident(tx, path, kind) !== null) return;
  const id = insertIncident(tx, { kind, taskId, detail, path });
  const payload = { incident: id, kind, detail, path };
  insertEvent(tx, { type: 'incident.opened', actor: DISPATCHER, taskId, payload });
}

const closeTroubles: Command<{ readonly ids: readonly string[] }, object> = (tx, { ids }) => {
  for (const id of ids) {
    const row = tx.one('SELECT kind, task_id FROM incidents WHERE id = ? AND closed_at IS NULL', id);
    if (!row) continue;
    closeIncident(tx, id);
    const taskId = row.task_id as TaskName | null;
    insertEvent(tx, { type: 'incident.closed', actor: DISPATCHER, taskId, payload: { incident: id, kind: row.kind } });
  }
  return {};
};
