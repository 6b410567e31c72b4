import type { TaskName } from '../domain/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { closeIncident, insertIncident, selectFileIncident } from '../ledger/statements/incidents.ts';
import type { Tx } from '../ledger/tx.ts';
import type { Trouble } from '../tree/tree-commands.ts';

/** The actor of what no agent and no person did. */
export const DISPATCHER = 'dispatcher';

/** Of one file and kind one incident is open at a time. */
export const openTrouble: Command<Trouble, object> = (tx, trouble) => {
  openOnce(tx, trouble);
  return {};
};

export function openOnce(tx: Tx, { kind, path, taskId, detail }: Trouble): void {
  if (selectFileIncident(tx, path, kind) !== null) return;
  const id = insertIncident(tx, { kind, taskId, detail, path });
  const payload = { incident: id, kind, detail, path };
  insertEvent(tx, { type: 'incident.opened', actor: DISPATCHER, taskId, payload });
}

export const closeTroubles: Command<{ readonly ids: readonly string[] }, object> = (tx, { ids }) => {
  for (const id of ids) {
    const row = tx.one('SELECT kind, task_id FROM incidents WHERE id = ? AND closed_at IS NULL', id);
    if (!row) continue;
    closeIncident(tx, id);
    const taskId = row.task_id as TaskName | null;
    insertEvent(tx, { type: 'incident.closed', actor: DISPATCHER, taskId, payload: { incident: id, kind: row.kind } });
  }
  return {};
};
