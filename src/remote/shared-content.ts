import { createHash } from 'node:crypto';
import type { Route } from '../domain/federation/route-task.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { ReceiverAnswer } from '../domain/remote/receiver-answer.ts';
import type { Federation } from '../federation/federation.ts';
import { type Transport, TransportFault } from '../federation/transport.ts';
import { selectPeer } from '../ledger/statements/federation/peers.ts';
import { selectTakenBy } from '../ledger/statements/federation/sent-tasks.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectLastFact } from '../ledger/statements/run-facts.ts';
import type { Reader } from '../ledger/tx.ts';
import type { ContentKeeper } from './content.ts';
import type { Blobs, Parcel } from './parcel/parcel.ts';
import type { SenderParts, SentOrder } from './sender/sender-parts.ts';

/** The blobs of the store that the nodes share. */
export function blobsOf(transport: Transport): Blobs {
  return {
    has: (sha256) => transport.hasBlob(sha256),
    put: (sha256, bytes) => transport.putBlob(sha256, bytes),
    get: (sha256) => transport.getBlob(sha256),
  };
}

/** The folder of a task of another node. Nobody else can name the same one. */
export function workName(source: string, eventId: string): string {
  return `work-${createHash('sha256').update(`${source}\0${eventId}`).digest('hex').slice(0, 32)}`;
}

/** Enough for tasks of a few repositories. */
const EARLIER_PARCELS_MAX = 8;

/** The last parcels that a node has taken: what is in them need not go there again. Several nodes have different ones. */
export function lastParcels(read: Reader, routes: readonly Pick<Route, 'node'>[]): readonly Parcel[] {
  const [node, other] = [...new Set(routes.map((route) => route.node))];
  if (node === undefined || other !== undefined) return [];
  const taken = selectTakenBy(read, node, EARLIER_PARCELS_MAX);
  return taken.flatMap((round) => (selectLastFact(read, round, 'sent')?.parcel as Parcel | undefined) ?? []);
}

/** Puts the files of a task into the store again, as they were packed before. */
export function contentKeeper({ parcels, ledger }: SenderParts, transport: Transport): ContentKeeper {
  return {
    restore: async (task, holds) => {
      const blobs = blobsOf(transport);
      const packing = await parcels();
      if (holds === 'result') {
        await packing.packResult({ task, blobs });
        return;
      }
      const order = selectOrder(ledger.read, task);
      const sent = order && selectLastFact(ledger.read, order, 'sent');
      const parcel = sent?.parcel as Parcel | undefined;
      if (parcel) await packing.packWork({ task, haves: parcel.needs, blobs });
    },
  };
}

type BroughtWork = { readonly isThere: boolean };

/** Brings the files, the receipt and the trace of an answer here, if it has any. The key is the one that is pinned for the node. */
export async function bringWork(
  { parcels, ledger }: SenderParts,
  { directory, parts: { transport } }: Federation,
  order: SentOrder,
): Promise<BroughtWork | Refusal> {
  const { answered, sent } = order.remote;
  const { parcel: result = null } = answered?.answer ?? {};
  if (!answered || result === null) return { isThere: false };
  const { node, agent } = answered;
  if (sent?.parcel === undefined) return refuse('parcel_refused', `${node} returned files, and was sent none`);
  const peer = selectPeer(ledger.read, node);
  if (peer === null || directory.acceptedKeyOf(node) === null) {
    return refuse('parcel_refused', `${node} is not trusted any more: nothing of its work was used`);
  }
  const { publicKey } = peer;
  const of = { task: order.task.id, node, publicKey, agent, sent: sent.parcel as Parcel, result };
  const imported = await (await parcels()).importResult({ ...of, blobs: blobsOf(transport) });
  return isRefusal(imported) ? imported : { isThere: true };
}

/** Removes the content of a task that is here from the store; what is left there by a store that is away does no harm. */
export async function removeContent(
  { parts: { transport } }: Federation,
  { remote }: SentOrder,
  { parcel: result }: ReceiverAnswer,
): Promise<void> {
  const parcels = [remote.sent?.parcel, result] as readonly (Partial<Parcel> | null | undefined)[];
  const names = new Set(parcels.flatMap((parcel) => parcel?.blobs?.map(({ sha256 }) => sha256) ?? []));
  try {
    for (const name of names) await transport.removeBlob(name);
  } catch (error) {
    if (!(error instanceof TransportFault)) throw error;
  }
}
