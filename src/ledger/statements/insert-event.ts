import type { EventType, LedgerEvent } from '../../domain/ledger-event.ts';
import type { TaskName } from '../../domain/task.ts';
import type { NewRow } from '../pending-rows.ts';
import type { Tx } from '../tx.ts';

export interface NewEvent {
  readonly type: EventType;
  readonly actor: string;
  readonly taskId: TaskName | null;
  readonly payload: Readonly<Record<string, unknown>>;
}

const EVENT: NewRow = {
  table: 'events',
  into: 'INSERT INTO events (seq, id, type, at, actor, task_id, payload) VALUES',
  row: '(?, ?, ?, ?, ?, ?, ?)',
};

/** One row of the one log, written with the others of its batch. */
export function insertEvent(tx: Tx, event: NewEvent): LedgerEvent {
  const { now, ids } = tx.moment;
  const id = ids.uuid();
  const { type, actor, taskId, payload } = event;
  const seq = tx.nextSeq();
  tx.insert(EVENT, seq, id, type, now.wallMs, actor, taskId, JSON.stringify(payload));
  return { seq, id, type, at: now.wallMs, actor, taskId, payload };
}
