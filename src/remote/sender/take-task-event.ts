import { splitAddress } from '../../domain/federation/choose-recipients.ts';
import { ANSWER_TEXT_CHARACTERS_MAX } from '../../domain/federation/federation-limits.ts';
import { mayOthersDo } from '../../domain/order/failure-class.ts';
import { judgeSentEvent, type TaskEventKind } from '../../domain/remote/judge-sent-event.ts';
import type { ReceiverAnswer } from '../../domain/remote/receiver-answer.ts';
import type { SentState } from '../../domain/remote/sent-fact.ts';
import type { Receiver } from '../../domain/remote/sent-terms.ts';
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
import type { TaskFailedEnvelope } from '../../protocols/runtime/schema/events.ts';
import { acceptanceOf, answeringAgent, answerOfCompletion, answerOfFailure, type TaskEvent } from './read-answer.ts';
import { takeRefusal } from './send-order.ts';
import { takeAcceptance, takeEnd, takeOneRefusal, takeUpdate } from './take-answer.ts';

const DONE: Injection = { isQueued: false };
const REFUSED: Injection = { isQueued: false, isRefused: true };

/** Applies what another node tells about a task of this one; null if this node sent no such task. */
export function takeTaskEvent(tx: Tx, event: TaskEvent, sender: Sender): Injection | null {
  const sent = selectSentByUid(tx, event.payload.taskId);
  const task = sent && selectTask(tx, sent.taskId);
  const order = task && selectOrder(tx, task.id);
  if (!task || !order) return null;
  const found: OrderedTask = { kind: 'ordered', task, order };
  const { remote, outcome } = selectExecution(tx, order);
  if (remote === null) return refuseEvent(tx, { found, event }, 'it is done here now');
  const verdict = judgeSentEvent(
    { kind: kindOf(event), node: event.sourceNodeId, agent: answeringAgent(event), corrId: event.corrId },
    { ...remote, sent: asked(tx, remote.sent), isOver: outcome !== null || !order.isOpen },
  );
  switch (verdict.kind) {
    case 'refuse':
      return refuseEvent(tx, { found, event }, verdict.reason);
    case 'ignore':
      break;
    case 'one-refused':
      takeOneRefusal(tx, found, { operation: remote.sent?.eventId ?? '', event: event as TaskFailedEnvelope });
      break;
    case 'apply-accepted':
      apply(tx, takeAcceptance(tx, found, acceptanceOf(event, tx.moment.now.wallMs)), { event, sender });
      break;
    case 'apply':
      apply(tx, found, { event, sender });
      break;
  }
  return DONE;
}

type SentRecord = NonNullable<SentState['sent']>;

/** Those who are asked now: an agent that has moved to another node meanwhile was sent the task there. */
function asked(tx: Tx, sent: SentRecord | null): SentRecord | null {
  if (sent === null) return null;
  const receipts = selectReceipts(tx, sent.eventId);
  return receipts.length === 0 ? sent : { ...sent, to: receipts.map(({ agent, node }) => ({ agent, node })) };
}

function kindOf({ kind }: TaskEvent): TaskEventKind {
  return kind === 'ack' ? 'task_accept' : kind;
}

function apply(
  tx: Tx,
  found: OrderedTask,
  { event, sender }: { readonly event: TaskEvent; readonly sender: Sender },
): void {
  const from = { node: event.sourceNodeId, agent: answeringAgent(event) };
  switch (event.kind) {
    case 'task_update': {
      const { status, progress = null, note, revisedEtaAt } = event.payload;
      const words = note === undefined ? null : shorten(note, ANSWER_TEXT_CHARACTERS_MAX);
      const eta = revisedEtaAt === undefined ? null : Date.parse(revisedEtaAt);
      takeUpdate(tx, found, { status, progress, note: words, revisedEtaAt: eta });
      return;
    }
    case 'task_complete':
      takeEnd(tx, found, { ...from, answer: answerOfCompletion(event) });
      return;
    case 'task_failed':
      takeFailure(tx, found, { from, answer: answerOfFailure(event), sender });
      return;
    default:
      takeAcceptance(tx, found, acceptanceOf(event, tx.moment.now.wallMs));
  }
}

interface ReceiverFailure {
  readonly from: Receiver;
  readonly answer: ReceiverAnswer;
  readonly sender: Sender;
}

/** Runtime §8.2: a task that failed is a review of its capabilities. One that was refused before it began may be done by others. */
function takeFailure(tx: Tx, found: OrderedTask, { from, answer, sender }: ReceiverFailure): void {
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
  const isLeft = taken === null ? mayOthersDo(failureClass) : failureClass === 'invalid_target';
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
