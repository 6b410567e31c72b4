import { planResend, type ResendVerdict, resendAfterMs } from '../domain/federation/plan-resend.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import {
  chainFrame,
  type DeliveryReceipt,
  endAttempt,
  insertFrame,
  insertOutbox,
  insertReceipt,
  nextOutboxSeq,
  type OutboxRow,
  selectReceipts,
  selectSent,
  stopWaiting,
  updateReceiptNode,
} from '../ledger/statements/federation/outbox.ts';
import type { Tx } from '../ledger/tx.ts';
import type { EnvelopeKind } from '../protocols/runtime/markers.ts';
import type { RuntimeEnvelope } from '../protocols/runtime/schema/events.ts';
import { envelopeText } from './envelope.ts';
import { openNodeIncident } from './nodes/federation-incident.ts';

/** An agent that an event is for, and the node that has it. */
export interface Recipient {
  readonly agent: string;
  readonly node: string;
  /** Null for an agent that no other node can take over. */
  readonly fence: number | null;
}

/** The facts about this node that every envelope carries. */
export interface Sender {
  readonly nodeId: string;
  readonly routingPolicyVersion: string;
  readonly capabilityPolicyVersion: string;
}

/** An event before it has a number. */
export interface EventDraft {
  readonly kind: EnvelopeKind;
  readonly fromAgent: string;
  readonly to: readonly Recipient[];
  /** A new one if it is absent. */
  readonly corrId?: string;
  readonly payload: object;
  readonly expiresAt?: number | null;
  /** Above 1 for an operation that was sent to others before. */
  readonly attempt?: number;
}

export interface AppendedEvent {
  readonly eventId: string;
  readonly seq: number;
  readonly corrId: string;
}

/** Acknowledgements are not acknowledged, and a dead letter is the end. */
export const NOT_AWAITED: ReadonlySet<EnvelopeKind> = new Set(['ack', 'dead_letter']);

/** Records an event in the outbox of this node, in the open transaction. */
export function appendEvent(tx: Tx, sender: Sender, draft: EventDraft): AppendedEvent {
  const eventId = `evt_${tx.moment.ids.ulid()}`;
  const corrId = draft.corrId ?? `corr_${tx.moment.ids.ulid()}`;
  const waits = NOT_AWAITED.has(draft.kind) ? 0 : draft.to.length;
  const { attempt = 1 } = draft;
  const seq = insertAttempt(tx, sender, { ...draft, eventId, corrId, operation: eventId, attempt, waits });
  if (waits > 0) {
    const sentAt = tx.moment.now.wallMs;
    for (const { agent, node } of draft.to) insertReceipt(tx, { operation: eventId, agent, node, sentAt });
  }
  return { eventId, seq, corrId };
}

interface AttemptDraft extends EventDraft {
  readonly eventId: string;
  readonly corrId: string;
  readonly operation: string;
  readonly attempt: number;
  readonly waits: number;
  /** As the first attempt had it; by default the only recipient. */
  readonly toAgentId?: string | null;
}

function insertAttempt(tx: Tx, sender: Sender, draft: AttemptDraft): number {
  const { eventId, kind, fromAgent, to, corrId, payload, expiresAt = null, operation, attempt, waits } = draft;
  const { toAgentId = to.length === 1 ? (to[0]?.agent ?? null) : null } = draft;
  const { nodeId: sourceNodeId, ...policies } = sender;
  const seq = nextOutboxSeq(tx);
  const at = tx.moment.now.wallMs;
  const facts = { eventId, seq, kind, sourceNodeId, sourceAgentId: fromAgent, toAgentId, corrId, expiresAt, payload };
  const envelope = envelopeText({ ...facts, createdAt: at, trace: { attempt, ...policies } });
  const dueAt = waits === 0 ? null : at + resendAfterMs({ eventId, attempt });
  insertOutbox(tx, { seq, eventId, kind, corrId, operation, attempt, envelope, at, expiresAt, waits, dueAt });
  for (const [dest, recipients] of byNode(to)) {
    insertFrame(tx, { dest, seq, prev: chainFrame(tx, dest, seq), fences: fencesOf(recipients) });
  }
  return seq;
}

function byNode(to: readonly Recipient[]): ReadonlyMap<string, readonly Recipient[]> {
  if (to.length === 1) return new Map(to.map((only) => [only.node, to]));
  return Map.groupBy(to, ({ node }) => node);
}

function fencesOf(recipients: readonly Recipient[]): string {
  return recipients.flatMap(({ agent, fence }) => (fence === null ? [] : [`${agent}=${fence}`])).join(',');
}

export interface Resend {
  readonly sender: Sender;
  readonly eventId: string;
  /** The present nodes of the recipients; one that is nowhere keeps the node it was sent to. */
  readonly routes: ReadonlyMap<string, Recipient>;
}

/** Sends an event again that is due, as a new event, or gives it up with a dead letter (runtime:resend). */
export const resendEvent: Command<Resend, { readonly verdict: ResendVerdict['kind'] | 'done' }> = (tx, facts) => {
  const row = selectSent(tx, facts.eventId);
  if (!row || row.dueAt === null || row.dueAt > tx.moment.now.wallMs) return { verdict: 'done' };
  const open = selectReceipts(tx, row.operation).filter(isOpen);
  if (open.length === 0) {
    stopWaiting(tx, row.operation);
    return { verdict: 'done' };
  }
  const verdict = planResend(row, tx.moment.now.wallMs);
  if (verdict.kind === 'resend') repeatEvent(tx, facts, { row, open });
  else giveUp(tx, facts.sender, { row, open, reason: verdict.reason });
  return { verdict: verdict.kind };
};

function isOpen({ acceptedAt, failedAt }: DeliveryReceipt): boolean {
  return acceptedAt === null && failedAt === null;
}

interface UnacceptedEvent {
  readonly row: OutboxRow;
  readonly open: readonly DeliveryReceipt[];
}

/** The same payload as a new event, for those who have not accepted it. */
function repeatEvent(
  tx: Tx,
  { sender, routes }: Pick<Resend, 'sender' | 'routes'>,
  { row, open }: UnacceptedEvent,
): void {
  const { kind, sourceAgentId, toAgentId = null, payload } = JSON.parse(row.envelope) as RuntimeEnvelope;
  const to = open.map(({ agent, node }) => routes.get(agent) ?? { agent, node, fence: null });
  for (const { agent, node } of to) updateReceiptNode(tx, { operation: row.operation, agent, node });
  endAttempt(tx, row.seq);
  const { corrId, operation, expiresAt } = row;
  const eventId = `evt_${tx.moment.ids.ulid()}`;
  const attempt = { eventId, operation, attempt: row.attempt + 1, waits: to.length, toAgentId };
  insertAttempt(tx, sender, { kind, fromAgent: sourceAgentId, to, corrId, payload, expiresAt, ...attempt });
}

function giveUp(
  tx: Tx,
  sender: Sender,
  { row, open, reason }: UnacceptedEvent & { readonly reason: string },
): LedgerEvent {
  stopWaiting(tx, row.operation);
  const to = open.map(({ agent, node }) => ({ agent, node, fence: null }));
  const refKind = row.kind;
  const payload = { refEventId: row.operation, refKind, reason, attempts: row.attempt };
  appendEvent(tx, sender, { kind: 'dead_letter', fromAgent: sender.nodeId, to, corrId: row.corrId, payload });
  const names = open.map(({ agent, node }) => (agent === node ? node : `${agent} on ${node}`)).join(', ');
  const detail = `${row.operation}: a ${refKind} for ${names} was not accepted after ${row.attempt} attempts (${reason})`;
  openNodeIncident(tx, { kind: 'undelivered', detail, subject: row.operation }, sender.nodeId);
  return insertEvent(tx, {
    type: 'delivery.given_up',
    actor: sender.nodeId,
    taskId: null,
    payload: { eventId: row.operation, kind: refKind, to: names, reason, attempts: row.attempt },
  });
}
