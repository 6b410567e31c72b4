import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import {
  chainFrame,
  clearOutbox,
  insertFrame,
  insertOutbox,
  lastOutboxSeq,
  nextOutboxSeq,
  selectOutbox,
} from '../ledger/statements/federation/outbox.ts';
import { selectMeta, upsertMeta } from '../ledger/statements/meta.ts';
import type { Reader } from '../ledger/tx.ts';
import type { Head } from './transport.ts';

const EPOCH = 'outbox_epoch';

/** The generation of the own outbox; null before the node first joined a federation. */
export function epochOf(read: Reader): string | null {
  return selectMeta(read, EPOCH);
}

/** The end of the own outbox by the ledger. */
export function ownEnd(read: Reader): Head {
  return { epoch: epochOf(read) ?? '', seq: lastOutboxSeq(read) };
}

/** Whether the store knows events of this node that its ledger does not: the ledger was put back to an earlier state (runtime:epoch). */
export function isLedgerBehind(own: Head, stored: Head | null): boolean {
  if (stored === null || own.epoch === '') return stored !== null;
  return stored.epoch > own.epoch || (stored.epoch === own.epoch && stored.seq > own.seq);
}

export interface NewEpoch {
  readonly nodeId: string;
  /** The epoch that the new one comes after; null where there was none. */
  readonly after: string | null;
  readonly reason: 'joined' | 'restored';
}

/**
 * Begins a generation of the outbox with seq 1. The events that the ledger has get new numbers and keep their ids: a reader that was
 * put back to an earlier state too finds them, and every other one recognizes them.
 */
export const beginEpoch: Command<NewEpoch, { readonly epoch: string }> = (tx, { nodeId, after, reason }) => {
  const epoch = epochAfter(tx.moment.now.wallMs, after);
  const events = selectOutbox(tx);
  clearOutbox(tx);
  upsertMeta(tx, EPOCH, epoch);
  for (const { frames, ...row } of events) {
    const seq = nextOutboxSeq(tx);
    const envelope = JSON.stringify({ ...JSON.parse(row.envelope), seq });
    insertOutbox(tx, { ...row, seq, envelope });
    for (const { dest, fences } of frames) insertFrame(tx, { dest, seq, prev: chainFrame(tx, dest, seq), fences });
  }
  const payload = { epoch, reason, events: events.length };
  insertEvent(tx, { type: 'federation.epoch_begun', actor: nodeId, taskId: null, payload });
  return { epoch };
};

const PREFIX = 'route-epoch-';

/** Epochs sort by time. A clock that was set back does not make an earlier one. */
function epochAfter(nowMs: number, after: string | null): string {
  const before = after === null ? Number.NaN : Date.parse(after.slice(PREFIX.length));
  const at = Number.isNaN(before) ? nowMs : Math.max(nowMs, before + 1);
  return `${PREFIX}${new Date(at).toISOString()}`;
}
