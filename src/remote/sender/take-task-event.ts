import { splitAddress } from '../../domain/federation/choose-recipients.ts';
import { ANSWER_TEXT_CHARACTERS_MAX, TASK_ETA_SECONDS_DEFAULT } from '../../domain/federation/federation-limits.ts';
import { codeOfFailure, mayDoElsewhere, readFailureClass } from '../../domain/order/failure-class.ts';
import { judgeRemoteEvent, type TaskEventKind } from '../../domain/remote/judge-sent-event.ts';
import type { RemoteAnswer } from '../../domain/remote/receiver-answer.ts';
import type { RemoteState } from '../../domain/remote/sent-fact.ts';
import type { RemoteAgent } from '../../domain/remote/sent-terms.ts';
import { shorten } from '../../domain/words/shorten.ts';
import { reviewTask } from '../../federation/capabilities/open-review.ts';
import type { Injection } from '../../federation/inbox.ts';
import type { Sender } from '../../federation/outbox.ts';
import { insertEvent } from '../../ledger/statements/events.ts';
import { selectReceipts } from '../../ledger/statements/federation/outbox.ts';
import { selectSentByUid } from '../../ledger/statements/federation/sent-tasks.ts';
import { insertIncident, selectOpenIncident } from '../../ledger/statements/incidents.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectExecution, selectFacts } from '../../ledger/statements/run-facts.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import type { Tx } from '../../ledger/tx.ts';
import type { OrderedTask } from '../../operations/order/open-order.ts';
import type {
  RuntimeEnvelope,
  TaskAcceptEnvelope,
  TaskAckEnvelope,
  TaskCompleteEnvelope,
  TaskFailedEnvelope,
  TaskUpdateEnvelope,
} from '../../protocols/runtime/schema/events.ts';
import { readOutcome, readTheirTask } from '../../protocols/runtime/schema/extensions.ts';
import { takeRefusal } from './send-order.ts';
import { type Acceptance, takeAcceptance, takeEnd, takeUpdate } from './take-answer.ts';

const DONE: Injection = { isQueued: false };
const REFUSED: Injection = { isQueued: false, isRefused: true };

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

/** Applies what another node tells about a task of this one; null if this node sent no such task. */
export function takeTaskEvent(tx: Tx, event: TaskEvent, sender: Sender): Injection | null {
  const sent = selectSentByUid(tx, event.payload.taskId);
  const task = sent && selectTask(tx, sent.taskId);
  const order = task && selectOrder(tx, task.id);
  if (!task || !order) return null;
  const found: OrderedTask = { kind: 'ordered', task, order };
  const { remote, outcome } = selectExecution(tx, order);
  if (remote === null) return refuseEvent(tx, { found, event }, 'it is done here now');
  const verdict = judgeRemoteEvent(
    { kind: kindOf(event), node: event.sourceNodeId, agent: agentOf(event), corrId: event.corrId },
    { ...remote, sent: asked(tx, remote.sent), isOver: outcome !== null || !order.isOpen },
  );
  switch (verdict.kind) {
    case 'refuse':
      return refuseEvent(tx, { found, event }, verdict.reason);
    case 'ignore':
      break;
    case 'one-refused':
      noteRefusal(tx, found, event as TaskFailedEnvelope);
      break;
    case 'apply-accepted':
      apply(tx, takeAcceptance(tx, found, acceptanceOf(tx, event)), { event, sender });
      break;
    case 'apply':
      apply(tx, found, { event, sender });
      break;
  }
  return DONE;
}

type SentFact = NonNullable<RemoteState['sent']>;

/** Those who are asked now: an agent that has moved to another node meanwhile was sent the task there. */
function asked(tx: Tx, sent: SentFact | null): SentFact | null {
  if (sent === null) return null;
  const receipts = selectReceipts(tx, sent.eventId);
  return receipts.length === 0 ? sent : { ...sent, to: receipts.map(({ agent, node }) => ({ agent, node })) };
}

function kindOf({ kind }: TaskEvent): TaskEventKind {
  return kind === 'ack' ? 'task_accept' : kind;
}

/** The agent that did it; an update names none. */
function agentOf(event: TaskEvent): string {
  switch (event.kind) {
    case 'task_complete':
      return event.payload.completedByAgentId;
    case 'task_failed':
      return event.payload.failedByAgentId;
    case 'task_update':
      return event.sourceAgentId;
    default:
      return (event as TaskAcceptEnvelope).payload.acceptedByAgentId;
  }
}

function apply(
  tx: Tx,
  found: OrderedTask,
  { event, sender }: { readonly event: TaskEvent; readonly sender: Sender },
): void {
  const from = { node: event.sourceNodeId, agent: agentOf(event) };
  switch (event.kind) {
    case 'task_update': {
      const { status, progress = null, note, revisedEtaAt } = event.payload;
      const words = note === undefined ? null : shorten(note, ANSWER_TEXT_CHARACTERS_MAX);
      const eta = revisedEtaAt === undefined ? null : Date.parse(revisedEtaAt);
      takeUpdate(tx, found, { status, progress, note: words, revisedEtaAt: eta });
      return;
    }
    case 'task_complete':
      takeEnd(tx, found, { ...from, answer: answerOf(event) });
      return;
    case 'task_failed':
      takeFailure(tx, found, { from, answer: failureOf(event), sender });
      return;
    default:
      takeAcceptance(tx, found, acceptanceOf(tx, event));
  }
}

interface RemoteFailure {
  readonly from: RemoteAgent;
  readonly answer: RemoteAnswer;
  readonly sender: Sender;
}

/** Runtime §8.2: a task that failed is a review of its capabilities. One that was refused before it began may be done by others. */
function takeFailure(tx: Tx, found: OrderedTask, { from, answer, sender }: RemoteFailure): void {
  const { taken = null, recalled = null, sent } = selectExecution(tx, found.order).remote ?? {};
  const failureClass = answer.failureClass ?? 'unknown';
  if (taken === null && recalled === null && failureClass === 'dependency_missing' && isPart(sent?.parcel)) {
    takeRefusal(tx, found, { nodes: [from.node], reason: answer.message, isLacking: true });
    return;
  }
  // A task that was called back ends by this node's own word.
  const isAboutWork = failureClass !== 'overloaded' && failureClass !== 'invalid_target';
  if (recalled === null && isAboutWork) {
    const detail = `${found.task.id} failed: ${answer.message}`;
    reviewTask(tx, found, { agent: splitAddress(from.agent)[0], failureClass, detail, sender });
  }
  // An agent that has moved to another node is asked there.
  const isLeft = taken === null ? mayDoElsewhere(failureClass) : failureClass === 'invalid_target';
  if (isLeft && recalled === null) {
    takeRefusal(tx, found, { nodes: [from.node], reason: answer.message, isRefused: true });
  } else {
    takeEnd(tx, found, { ...from, answer });
  }
}

/** Whether a parcel leaves out what its receiver is believed to have. */
function isPart(parcel: unknown): boolean {
  const { needs = [] } = (parcel ?? {}) as { readonly needs?: readonly string[] };
  return needs.length > 0;
}

const CLOCKS_APART_MS = 60_000;

/** An estimate counts by the clock here where the two clocks are far apart. */
function acceptanceOf(tx: Tx, event: TaskEvent): Acceptance {
  const { etaAt, etaSeconds, planSummary = '' } = event.payload as Partial<TaskAcceptEnvelope['payload']>;
  const { wallMs } = tx.moment.now;
  const told = etaAt === undefined ? Number.NaN : Date.parse(etaAt);
  const counted = wallMs + (etaSeconds ?? TASK_ETA_SECONDS_DEFAULT) * 1_000;
  const isNear = etaSeconds === undefined || Math.abs(told - counted) < CLOCKS_APART_MS;
  return {
    node: event.sourceNodeId,
    agent: agentOf(event),
    etaAt: Number.isNaN(told) || !isNear ? counted : told,
    plan: shorten(planSummary, ANSWER_TEXT_CHARACTERS_MAX),
    theirTask: readTheirTask(event.payload),
  };
}

const NOTHING = { before: [], after: [], spend: { costUsd: 0, tokensInput: 0, tokensOutput: 0 }, model: null } as const;

/** A result that nobody tells to be checked is not checked. */
function answerOf({ payload }: TaskCompleteEnvelope): RemoteAnswer {
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

function failureOf({ payload }: TaskFailedEnvelope): RemoteAnswer {
  const found = readOutcome(payload);
  const failureClass = readFailureClass(payload.failureClass);
  const { errorSummary = '' } = payload;
  const message = shorten(found?.message || errorSummary || failureClass, ANSWER_TEXT_CHARACTERS_MAX);
  return {
    ...(found ?? { ...NOTHING, summary: '' }),
    // Time that ran out is a failure, whoever noticed it.
    verdict: found?.verdict === 'aborted' && failureClass !== 'timeout' ? 'aborted' : 'failed',
    code: found?.code ?? codeOfFailure(failureClass),
    failureClass,
    message,
    resultRef: null,
    theirTask: readTheirTask(payload),
    parcel: (payload as { readonly x_result?: unknown }).x_result ?? null,
  };
}

function noteRefusal(tx: Tx, { task }: OrderedTask, { payload, sourceNodeId }: TaskFailedEnvelope): void {
  const { failedByAgentId: agent, failureClass, errorSummary = failureClass } = payload;
  const told = { status: 'refused', node: sourceNodeId, note: shorten(errorSummary, ANSWER_TEXT_CHARACTERS_MAX) };
  insertEvent(tx, { type: 'task.told', actor: `${agent}@${sourceNodeId}`, taskId: task.id, payload: told });
}

const KIND = 'refused_answer';

/** Nobody but those who were asked changes a task; the first of a node that was never asked opens an incident. */
function refuseEvent(
  tx: Tx,
  { found, event }: { readonly found: OrderedTask; readonly event: TaskEvent },
  reason: string,
): Injection {
  const { sourceNodeId: node, sourceAgentId, kind } = event;
  const { task, order } = found;
  const payload = { node, kind, why: reason };
  insertEvent(tx, { type: 'task.answer_refused', actor: `${sourceAgentId}@${node}`, taskId: task.id, payload });
  const sent = selectFacts(tx, order).filter((fact) => fact.kind === 'sent');
  const recipients = sent.flatMap((fact) => [...fact.to, ...(asked(tx, fact)?.to ?? [])]);
  const wasAsked = recipients.some((recipient) => recipient.node === node);
  if (wasAsked || selectOpenIncident(tx, `${KIND}:${node}`) !== null) return REFUSED;
  const detail = `node ${node} sent a ${kind} for ${task.id}, which does not count: ${reason}`;
  insertIncident(tx, { kind: `${KIND}:${node}`, taskId: null, detail });
  return REFUSED;
}
