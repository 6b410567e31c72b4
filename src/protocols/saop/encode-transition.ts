import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { SaopEvent } from './schema.ts';

/** SAOP §2: the TASK_TRANSITION of a move of the log, which has its id; null for other events. */
export function encodeTransition({ id, type, at, taskId, sessionId, payload }: LedgerEvent): SaopEvent | null {
  if ((type !== 'task.transitioned' && type !== 'task.rewound') || taskId === null) return null;
  const { from, to, gitHash } = payload;
  return {
    event_id: id,
    session_id: sessionId ?? taskId,
    payload: {
      type: 'TASK_TRANSITION',
      task_id: taskId,
      from_state: String(from),
      to_state: String(to),
      ...(typeof gitHash === 'string' && { git_hash: gitHash }),
      timestamp: new Date(at).toISOString(),
    },
  };
}
