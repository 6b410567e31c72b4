import type { EventType, LedgerEvent } from '../../domain/ledger-event.ts';
import type { TaskName } from '../../domain/task.ts';
import type { Tx } from '../tx.ts';

const INSERT_EVENT = 'INSERT INTO events (id, type, at, actor, task_id, payload) VALUES (?, ?, ?, ?, ?, ?)';

export interface NewEvent {
  readonly type: EventType;
  readonly actor: string;
  readonly taskId: TaskName | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Events are never removed, so the database's own next key leaves no hole: a batch that rolls back uses up no number. */
export function insertEvent(tx: Tx, event: NewEvent): LedgerEvent {
  const { now, ids } = tx.moment;
  const id = ids.uuid();
  const { type, actor, taskId, payload } = event;
  const seq = tx.insert(INSERT_EVENT, id, type, now.wallMs, actor, taskId, JSON.stringify(payload));
  return { seq, id, type, at: now.wallMs, actor, taskId, payload };
}
