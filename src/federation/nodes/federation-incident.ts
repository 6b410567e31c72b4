import { insertEvent } from '../../ledger/statements/events.ts';
import { closeIncident, insertIncident, type NewIncident } from '../../ledger/statements/incidents.ts';
import type { Tx } from '../../ledger/tx.ts';

/** Opens an incident about other nodes and tells it in the log: notices and open pages learn of it. `by` is the node that caused it. */
export function openNodeIncident(tx: Tx, incident: Omit<NewIncident, 'taskId'>, by: string): void {
  const { kind, detail } = incident;
  const id = insertIncident(tx, { ...incident, taskId: null });
  insertEvent(tx, { type: 'incident.opened', actor: by, taskId: null, payload: { incident: id, kind, detail } });
}

/** Closes an incident; nothing happens where there is none. */
export function closeNodeIncident(tx: Tx, { id, kind }: { id: string | null; kind: string }, by: string): void {
  if (id === null) return;
  closeIncident(tx, id);
  insertEvent(tx, { type: 'incident.closed', actor: by, taskId: null, payload: { incident: id, kind } });
}
