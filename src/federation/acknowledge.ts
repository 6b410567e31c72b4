import { ackedRecipients } from '../domain/federation/acked-recipients.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { recipientsOf, selectInbox, updateInbox } from '../ledger/statements/federation/inbox.ts';
import {
  noteReceipt,
  selectOperations,
  selectReceipts,
  waitForOneLess,
} from '../ledger/statements/federation/outbox.ts';
import { selectIncidentAbout } from '../ledger/statements/incidents.ts';
import type { Reader, Tx } from '../ledger/tx.ts';
import type { EventAckEnvelope, RuntimeEnvelope } from '../protocols/runtime/schema/events.ts';
import { isoInstant } from './envelope.ts';
import { closeNodeIncident } from './nodes/federation-incident.ts';
import { appendEvent, type Sender } from './outbox.ts';

export type AckType = 'accepted' | 'processed' | 'failed_terminal';

export interface Acknowledgement {
  readonly envelope: Pick<RuntimeEnvelope, 'eventId' | 'kind' | 'corrId' | 'sourceNodeId' | 'sourceAgentId'>;
  readonly agent: string;
  readonly type: AckType;
  readonly etaAt?: number;
}

/** Acknowledges an event in the own outbox, in the transaction that stored it or its outcome (Runtime §5). */
export function acknowledgeEvent(tx: Tx, sender: Sender, { envelope, agent, type, etaAt }: Acknowledgement): void {
  const { eventId, kind, corrId = eventId, sourceNodeId, sourceAgentId } = envelope;
  const to = [{ agent: sourceAgentId, node: sourceNodeId, fence: null }];
  const payload = {
    refEventId: eventId,
    refKind: kind,
    ackType: type,
    ackedByNodeId: sender.nodeId,
    ackedByAgentId: agent,
    ackedAt: isoInstant(tx.moment.now.wallMs),
    ...(etaAt !== undefined && { etaAt: isoInstant(etaAt) }),
  };
  appendEvent(tx, sender, { kind: 'ack', fromAgent: agent, to, corrId, payload });
}

/** Ends an event of the inbox: its terminal outcome exists, and is in the same transaction (Runtime §5.3). */
export function endInbox(
  tx: Tx,
  sender: Sender,
  {
    eventId,
    type,
    agent,
  }: { readonly eventId: string; readonly type: 'processed' | 'failed_terminal'; readonly agent?: string },
): void {
  const row = selectInbox(tx, eventId);
  if (!row || row.endedAs !== null) return;
  updateInbox(tx, { eventId, isQueued: false, endedAs: type });
  const envelope = JSON.parse(row.envelope) as RuntimeEnvelope;
  const agents = agent === undefined ? recipientsOf(tx, eventId) : [agent];
  for (const each of agents) acknowledgeEvent(tx, sender, { envelope, agent: each, type });
}

export function isAck(envelope: RuntimeEnvelope): envelope is EventAckEnvelope {
  return envelope.kind === 'ack' && 'refEventId' in envelope.payload && envelope.payload.refEventId !== undefined;
}

/** Runtime §4: an acknowledgement of a task with an estimate stands for its task_accept (minimal profile, runtime:task-ack). */
export function isAcceptance({ payload }: EventAckEnvelope): boolean {
  const { refKind, ackType, etaAt, etaSeconds } = payload;
  return refKind === 'task_create' && ackType === 'accepted' && (etaAt !== undefined || etaSeconds !== undefined);
}

/** Applies acknowledgements of a node for events of this one; those of other nodes' recipients change nothing. */
export function applyAcks(tx: Tx, node: string, acks: readonly { readonly envelope: RuntimeEnvelope }[]): void {
  if (acks.length === 0) return;
  const payloads = acks.flatMap(({ envelope }) => (isAck(envelope) ? [envelope.payload] : []));
  const operations = selectOperations(
    tx,
    payloads.map(({ refEventId }) => refEventId),
  );
  for (const { refEventId, ackType, ackedByAgentId: agent = null } of payloads) {
    const operation = operations.get(refEventId) ?? refEventId;
    for (const recipient of recipientsAt(tx, { operation, node, agent })) {
      applyAck(tx, { operation, node, agent: recipient }, ackType);
    }
  }
}

type ReceiptKey = Parameters<typeof noteReceipt>[1];

/** The recipients on the node that its acknowledgement is for. */
export function recipientsAt(tx: Reader, { operation, node, agent }: ReceiptKey): readonly string[] {
  const there = selectReceipts(tx, operation).filter((receipt) => receipt.node === node);
  return ackedRecipients(
    there.map((receipt) => receipt.agent),
    agent,
  );
}

function applyAck(tx: Tx, acked: ReceiptKey, type: AckType): void {
  // Every acknowledgement means that the event has arrived.
  const isNews = noteReceipt(tx, acked, 'accepted_at') > 0;
  if (isNews) {
    waitForOneLess(tx, acked.operation);
    closeUndelivered(tx, acked);
  }
  if (type === 'processed') noteReceipt(tx, acked, 'processed_at');
  if (type === 'failed_terminal' && noteReceipt(tx, acked, 'failed_at') > 0) {
    const { operation, node, agent } = acked;
    insertEvent(tx, { type: 'delivery.failed', actor: node, taskId: null, payload: { eventId: operation, agent } });
  }
}

/** A node that tells of an event has it, whether it acknowledged it or not. */
export function noteArrived(tx: Tx, { operation, node, agent }: ReceiptKey): void {
  for (const recipient of recipientsAt(tx, { operation, node, agent })) {
    applyAck(tx, { operation, node, agent: recipient }, 'accepted');
  }
}

/** An event that was given up on has arrived after all. */
function closeUndelivered(tx: Tx, { operation, node }: ReceiptKey): void {
  const kind = 'undelivered';
  closeNodeIncident(tx, { id: selectIncidentAbout(tx, kind, operation), kind }, node);
}
