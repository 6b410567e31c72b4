import type { VersionFallback } from '../../domain/execution/fact.ts';
import type { Priority } from '../../domain/task/task.ts';
import type { EventType, LedgerEvent } from '../../domain/trace/ledger-event.ts';
import type { AopEvent } from './kinds.ts';
import type {
  HeartbeatEvent,
  PriorityEscalationEvent,
  ProgressUpdateEvent,
  RollbackInitiatedEvent,
  VersionFallbackEvent,
} from './schema/events.ts';

type Encode = (event: LedgerEvent) => AopEvent | null;

const ENCODERS: ReadonlyMap<string, Encode> = new Map<EventType, Encode>([
  ['run.progressed', encodeProgress],
  ['order.admitted', encodeFallback],
  ['run.launched', encodeFallback],
  ['order.rolled_back', (event) => (event.payload.senderTask === undefined ? null : encodeRollback(event))],
  ['task.edited', (event) => (event.payload.senderTask === undefined ? null : encodeEscalation(event))],
]);

/** The EVENT that the sender of an order gets for an event of the log; null where AOP has none for it. */
export function encodeEvent(event: LedgerEvent): AopEvent | null {
  return ENCODERS.get(event.type)?.(event) ?? null;
}

/** Whether AOP has an EVENT for events of this type. The `message` of any other type is a sentence. */
export function isEncodedType(type: string): boolean {
  return ENCODERS.has(type);
}

const HEADER = { aop_version: '2.0.2-C', message_type: 'EVENT' } as const;

function aboutTask({ at, sessionId, payload: { senderTask } }: LedgerEvent) {
  return { session_id: String(sessionId), task_id: String(senderTask), timestamp: new Date(at).toISOString() };
}

function encodeFallback({ payload: { fallback } }: LedgerEvent): AopEvent | null {
  return fallback ? encodeVersionFallback(fallback as VersionFallback) : null;
}

/** Events of older ledgers have AOP's own words. */
const REASONS: Readonly<Record<string, VersionFallbackEvent['reason']>> = {
  'invalid-message': 'V2_SCHEMA_VALIDATION_FAILED',
  'unread-version': 'AGENT_LACKS_V2',
};

/** AOP §1.3: the notice as an EVENT. */
export function encodeVersionFallback(fallback: VersionFallback): VersionFallbackEvent {
  const { sessionId, taskId, errors, featuresLost } = fallback;
  return {
    aop_version: '2.0.2-C',
    message_type: 'EVENT',
    event: 'VERSION_FALLBACK',
    ...(sessionId !== null && { session_id: sessionId }),
    ...(taskId !== null && { task_id: taskId }),
    timestamp: fallback.timestamp,
    reason: REASONS[fallback.reason] ?? fallback.reason,
    from_version: fallback.fromVersion,
    to_version: '1.x',
    errors: errors.map(({ path, message }) => ({ path, message })),
    input_preview: fallback.inputPreview,
    features_lost: [...featuresLost],
  };
}

/** AOP §6.1 */
function encodeBeat(event: LedgerEvent): HeartbeatEvent {
  const { percentage, phase, checkpoint } = event.payload;
  return {
    ...HEADER,
    event: 'HEARTBEAT',
    ...aboutTask(event),
    agent: event.actor,
    ...(typeof percentage === 'number' && { progress_percentage: percentage }),
    ...(typeof phase === 'string' && { current_phase: phase }),
    ...(typeof checkpoint === 'string' && { current_checkpoint: checkpoint }),
  };
}

/** AOP §6.2 */
function encodeProgress(event: LedgerEvent): HeartbeatEvent | ProgressUpdateEvent | null {
  const { isForSender, isBeat, percentage, phase, checkpoint, text, remainingSeconds } = event.payload;
  if (isForSender === true && isBeat === true) return encodeBeat(event);
  if (isForSender !== true || typeof percentage !== 'number') return null;
  return {
    ...HEADER,
    event: 'PROGRESS_UPDATE',
    ...aboutTask(event),
    agent: event.actor,
    progress: {
      percentage,
      ...(typeof phase === 'string' && { current_phase: phase }),
      ...(typeof checkpoint === 'string' && { current_checkpoint: checkpoint }),
      ...(text !== '' && { message: String(text) }),
      ...(typeof remainingSeconds === 'number' && { estimated_time_remaining_seconds: remainingSeconds }),
    },
  };
}

/** The event has AOP's words for the trigger and the files (record-words.ts). */
interface RecordedRollback {
  readonly trigger: RollbackInitiatedEvent['trigger'];
  readonly files: readonly {
    readonly path: string;
    readonly restoredFrom: string | null;
    readonly status: 'SUCCESS' | 'FAILED';
  }[];
}

/** AOP §7: the files that were put back, and from where. */
function encodeRollback(event: LedgerEvent): RollbackInitiatedEvent {
  const { trigger, files } = event.payload as unknown as RecordedRollback;
  return {
    ...HEADER,
    event: 'ROLLBACK_INITIATED',
    ...aboutTask(event),
    trigger,
    artifacts_rolled_back: files.map(({ path, restoredFrom, status }) => {
      return { path, restored_from: restoredFrom, status };
    }),
  };
}

/** AOP §8: the task has another priority, and who gave it to it. */
function encodeEscalation(event: LedgerEvent): PriorityEscalationEvent {
  const { oldPriority, newPriority, reason } = event.payload;
  return {
    ...HEADER,
    event: 'PRIORITY_ESCALATION',
    ...aboutTask(event),
    old_priority: nameOf(oldPriority as Priority),
    new_priority: nameOf(newPriority as Priority),
    ...(typeof reason === 'string' && { reason }),
    escalated_by: event.actor,
  };
}

function nameOf(priority: Priority): Uppercase<Priority> {
  return priority.toUpperCase() as Uppercase<Priority>;
}
