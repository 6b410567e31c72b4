import { compactionMark, keptSince, type ReaderPlace } from '../domain/federation/compact-outbox.ts';
import { CURSOR_LEASE_SECONDS, OUTBOX_KEPT_MS } from '../domain/federation/federation-limits.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { deleteInboxBefore } from '../ledger/statements/federation/inbox.ts';
import {
  deleteOutboxUpTo,
  firstWaitingSeq,
  lastOutboxSeq,
  lastOutboxSeqBefore,
  selectLastFrames,
} from '../ledger/statements/federation/outbox.ts';
import { type Peer, selectPeer, upsertPeer } from '../ledger/statements/federation/peers.ts';
import { STALE } from './cursor-records.ts';
import { epochOf } from './epoch.ts';
import { KEYS, readRecord } from './records.ts';
import type { Entry, Transport } from './transport.ts';

/** Old events of the inbox that one commit removes. */
const OLD_EVENTS_PER_COMMIT_MAX = 5_000;

export interface CompactParts {
  readonly nodeId: string;
  readonly ledger: Pick<Ledger, 'read' | 'submit'>;
  readonly transport: Transport;
}

/** Removes events that every active reader has and that are older than the time events are kept (Runtime §6.4). */
export async function compactOutbox({ nodeId, ledger, transport }: CompactParts): Promise<number> {
  const epoch = epochOf(ledger.read);
  if (epoch === null) return 0;
  const readers: NamedPlace[] = [];
  for (const { dest } of selectLastFrames(ledger.read, lastOutboxSeq(ledger.read))) {
    const entry = await transport.get(KEYS.cursor(dest, nodeId));
    readers.push({ node: dest, ...(entry === null ? UNKNOWN : placeIn(entry)) });
  }
  const answer = await ledger.submit(removeOld, { epoch, readers });
  if (isRefusal(answer) || answer.mark === 0) return 0;
  await transport.trim({ epoch, seq: answer.mark });
  return answer.mark;
}

interface NamedPlace extends Omit<ReaderPlace, 'isActive'> {
  readonly node: string;
  readonly epoch: string;
  /** Null where the control plane has no place: the reader never read, or the records are lost. */
  readonly isActive: boolean | null;
}

const UNKNOWN = { epoch: '', seq: 0, isActive: null };

function placeIn({ value, ageMs }: Entry): Omit<NamedPlace, 'node'> {
  const { epoch, lastSeq, status } = readRecord(value);
  const isActive = status !== STALE && ageMs < CURSOR_LEASE_SECONDS * 1_000;
  return { epoch: String(epoch), seq: Number.isSafeInteger(lastSeq) ? (lastSeq as number) : 0, isActive };
}

/** The last known place of a reader counts where the control plane has none, for as long as events are kept. */
function remembered(place: NamedPlace, peer: Peer | null, nowMs: number): NamedPlace & ReaderPlace {
  if (place.isActive !== null) return { ...place, isActive: place.isActive };
  const isActive = nowMs - (peer?.cursor?.at ?? peer?.firstSeenAt ?? 0) < OUTBOX_KEPT_MS;
  return { ...place, epoch: peer?.cursor?.epoch ?? '', seq: peer?.cursor?.seq ?? 0, isActive };
}

const removeOld: Command<
  { readonly epoch: string; readonly readers: readonly NamedPlace[] },
  { readonly mark: number }
> = (tx, { epoch, readers }) => {
  const now = tx.moment.now.wallMs;
  const places = readers.map((place) => {
    const peer = selectPeer(tx, place.node);
    const { epoch: at, seq } = place;
    if (peer && place.isActive) upsertPeer(tx, { ...peer, cursor: { epoch: at, seq, at: now } });
    return remembered(place, peer, now);
  });
  const since = keptSince(now);
  const mark = compactionMark({
    // A reader in an earlier epoch has nothing of this one yet.
    readers: places.map((place) => ({ ...place, seq: place.epoch === epoch ? place.seq : 0 })),
    lastOldSeq: lastOutboxSeqBefore(tx, since),
    lastSeq: lastOutboxSeq(tx),
    firstWaitingSeq: firstWaitingSeq(tx),
  });
  if (mark > 0) deleteOutboxUpTo(tx, mark);
  deleteInboxBefore(tx, now - 2 * OUTBOX_KEPT_MS, OLD_EVENTS_PER_COMMIT_MAX);
  return { mark };
};
