import { splitAddress } from '../../domain/federation/choose-recipients.ts';
import { ANSWER_TEXT_CHARACTERS_MAX, TASK_ETA_SECONDS_DEFAULT } from '../../domain/federation/federation-limits.ts';
import { codeOfFailure, readFailureClass } from '../../domain/order/failure-class.ts';
import { failureCodeOf } from '../../domain/refusal.ts';
import type { ReceiverAnswer } from '../../domain/remote/receiver-answer.ts';
import { shorten } from '../../domain/words/shorten.ts';
import { isAcceptance, isAck, recipientsAt } from '../../federation/acknowledge.ts';
import { selectSent } from '../../ledger/statements/federation/outbox.ts';
import type { Reader } from '../../ledger/tx.ts';
import type {
  RuntimeEnvelope,
  TaskAcceptEnvelope,
  TaskAckEnvelope,
  TaskCompleteEnvelope,
  TaskCreateEnvelope,
  TaskFailedEnvelope,
  TaskUpdateEnvelope,
} from '../../protocols/runtime/schema/events.ts';
import { readOutcome, readTheirTask } from '../../protocols/runtime/schema/extensions.ts';
import type { Acceptance } from './take-answer.ts';

export type TaskEvent =
  | TaskAcceptEnvelope
  | TaskAckEnvelope
  | TaskUpdateEnvelope
  | TaskCompleteEnvelope
  | TaskFailedEnvelope;

/** runtime:task-ack: an ack with the payload of a task_accept stands for it. */
export function isTaskEvent(envelope: RuntimeEnvelope): envelope is TaskEvent {
  switch (envelope.kind) {
    case 'task_accept':
    case 'task_update':
    case 'task_complete':
    case 'task_failed':
      return true;
    case 'ack':
      return 'acceptedByAgentId' in envelope.payload;
    default:
      return false;
  }
}

/** The agent that did it, without the name of its node. */
export function answeringAgent(event: TaskEvent): string {
  const named = namedAgent(event);
  const [agent, node] = splitAddress(named);
  return node === event.sourceNodeId ? agent : named;
}

/** An update names none. */
function namedAgent(event: TaskEvent): string {
  switch (event.kind) {
    case 'task_complete':
      return event.payload.completedByAgentId;
    case 'task_failed':
      return event.payload.failedByAgentId;
    case 'task_update':
      return event.sourceAgentId;
    default:
      return event.payload.acceptedByAgentId;
  }
}

/** The task_accept that an acknowledgement with an estimate stands for (runtime:task-ack); null for any other. */
export function acceptanceInAck(tx: Reader, envelope: RuntimeEnvelope): TaskAckEnvelope | null {
  if (!isAck(envelope) || !isAcceptance(envelope)) return null;
  const { refEventId, ackedByAgentId = null, etaAt, etaSeconds } = envelope.payload;
  const row = selectSent(tx, refEventId);
  if (row === null) return null;
  const node = envelope.sourceNodeId;
  const [recipient = node, another] = recipientsAt(tx, { operation: row.operation, node, agent: ackedByAgentId });
  // One of several that does not say which one it is has only received it.
  if (another !== undefined) return null;
  const [name] = splitAddress(recipient);
  const agent = name === node ? splitAddress(ackedByAgentId ?? node)[0] : name;
  const { taskId } = (JSON.parse(row.envelope) as TaskCreateEnvelope).payload;
  const payload = { taskId, acceptedByAgentId: agent, ...(etaAt && { etaAt }), ...(etaSeconds && { etaSeconds }) };
  return { ...envelope, corrId: row.corrId, payload };
}

const NOTHING = { before: [], after: [], spend: { costUsd: 0, tokensInput: 0, tokensOutput: 0 }, model: null } as const;

/** A result that nobody tells to be checked is not checked. */
export function answerOfCompletion({ payload }: TaskCompleteEnvelope): ReceiverAnswer {
  const found = readOutcome(payload);
  const { resultSummary = '', resultRef = null } = payload;
  const { x_output: output, x_result: parcel = null } = payload as {
    readonly x_output?: unknown;
    readonly x_result?: unknown;
  };
  const verdict = found?.verdict === 'checked' || found?.verdict === 'partial' ? found.verdict : 'unchecked';
  return {
    ...(found ?? { ...NOTHING, code: null, summary: '' }),
    verdict,
    code: null,
    failureClass: null,
    message: shorten(found?.message || resultSummary || 'completed', ANSWER_TEXT_CHARACTERS_MAX),
    summary: shorten(found?.summary || resultSummary, ANSWER_TEXT_CHARACTERS_MAX),
    resultRef,
    ...(output !== undefined && { output }),
    theirTask: readTheirTask(payload),
    parcel,
  };
}

/** A failure that says nothing of its outcome is one by its class. */
export function answerOfFailure({ payload }: TaskFailedEnvelope): ReceiverAnswer {
  const found = readOutcome(payload);
  const failureClass = readFailureClass(payload.failureClass);
  const { errorSummary = '' } = payload;
  const message = shorten(found?.message || errorSummary || failureClass, ANSWER_TEXT_CHARACTERS_MAX);
  return {
    ...(found ?? { ...NOTHING, summary: '' }),
    // Time that ran out is a failure, whoever noticed it.
    verdict: found?.verdict === 'aborted' && failureClass !== 'timeout' ? 'aborted' : 'failed',
    code: found?.code ? failureCodeOf(found.code) : codeOfFailure(failureClass),
    failureClass,
    message,
    resultRef: null,
    theirTask: readTheirTask(payload),
    parcel: (payload as { readonly x_result?: unknown }).x_result ?? null,
  };
}

const CLOCKS_APART_MS = 60_000;

/** An estimate counts by the clock here where the two clocks are far apart. */
export function acceptanceOf(event: TaskEvent, wallMs: number): Acceptance {
  const { etaAt, etaSeconds, planSummary = '' } = event.payload as Partial<TaskAcceptEnvelope['payload']>;
  const told = etaAt === undefined ? Number.NaN : Date.parse(etaAt);
  const counted = wallMs + (etaSeconds ?? TASK_ETA_SECONDS_DEFAULT) * 1_000;
  const isNear = etaSeconds === undefined || Math.abs(told - counted) < CLOCKS_APART_MS;
  return {
    node: event.sourceNodeId,
    agent: answeringAgent(event),
    etaAt: Number.isNaN(told) || !isNear ? counted : told,
    plan: shorten(planSummary, ANSWER_TEXT_CHARACTERS_MAX),
    theirTask: readTheirTask(event.payload),
  };
}
