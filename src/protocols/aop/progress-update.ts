import type { LedgerEvent } from '../../domain/ledger-event.ts';
import type { ProgressUpdateEvent } from './schema/events.ts';

/** AOP §6.2: the PROGRESS_UPDATE that the sender of an order gets for an event of the log; null for any other event. */
export function encodeProgressUpdate({ type, at, actor, payload }: LedgerEvent): ProgressUpdateEvent | null {
  const { isForSender, session, senderTask, percentage, phase, checkpoint, text, remainingSeconds } = payload;
  if (type !== 'run.progressed' || isForSender !== true || typeof percentage !== 'number') return null;
  return {
    aop_version: '2.0.2-C',
    message_type: 'EVENT',
    event: 'PROGRESS_UPDATE',
    session_id: String(session),
    task_id: String(senderTask),
    timestamp: new Date(at).toISOString(),
    agent: actor,
    progress: {
      percentage,
      ...(typeof phase === 'string' && { current_phase: phase }),
      ...(typeof checkpoint === 'string' && { current_checkpoint: checkpoint }),
      ...(text !== '' && { message: String(text) }),
      ...(typeof remainingSeconds === 'number' && { estimated_time_remaining_seconds: remainingSeconds }),
    },
  };
}
