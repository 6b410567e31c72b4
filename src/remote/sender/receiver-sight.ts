import type { ReceiverSight } from '../../domain/remote/judge-sent-wait.ts';
import { holdersOf, type SentState } from '../../domain/remote/sent-fact.ts';
import { receiverName } from '../../domain/remote/sent-terms.ts';
import type { Federation } from '../../federation/federation.ts';
import { isAwaitedStill, selectReceipts } from '../../ledger/statements/federation/outbox.ts';
import type { Reader } from '../../ledger/tx.ts';

/** Looks up how it stands about an order that another node has. */
export async function readSight({ directory, parts }: Federation, remote: SentState): Promise<ReceiverSight> {
  const { ledger, clock } = parts;
  const deadNodes = new Set<string>();
  for (const name of holdersOf(remote)) {
    const node = await directory.node(name);
    // A store that has lost the record of a node says nothing about its life.
    if (node !== null && !node.isAlive) deadNodes.add(name);
  }
  return { nowMs: clock.now().wallMs, deadNodes, ...deliveryOf(ledger.read, remote) };
}

function deliveryOf(read: Reader, { sent }: SentState): Pick<ReceiverSight, 'refusedBy' | 'isGivenUp'> {
  const receipts = sent === null ? [] : selectReceipts(read, sent.eventId);
  const refused = receipts.filter(({ failedAt }) => failedAt !== null);
  const isOpen = receipts.some(({ acceptedAt, failedAt }) => acceptedAt === null && failedAt === null);
  const isAwaited = sent !== null && isAwaitedStill(read, sent.eventId);
  return {
    refusedBy: refused.map(receiverName),
    isGivenUp: isOpen && !isAwaited && receipts.every(({ acceptedAt }) => acceptedAt === null),
  };
}
