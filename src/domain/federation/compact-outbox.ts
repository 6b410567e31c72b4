import { OUTBOX_KEPT_MS } from './federation-limits.ts';

/** The place of a reader in the own outbox. */
export interface ReaderPlace {
  readonly seq: number;
  /** Its lease has not expired. A stale reader holds nothing back (runtime:cursor-lease). */
  readonly isActive: boolean;
}

export interface OutboxFacts {
  readonly readers: readonly ReaderPlace[];
  /** The last event that is older than the time that events are kept; 0 if there is none. */
  readonly lastOldSeq: number;
  readonly lastSeq: number;
  /** The first event that not every recipient has accepted; null if there is none. */
  readonly firstWaitingSeq: number | null;
}

/** Events up to this seq may go. The newest stays: it tells the end of the outbox. */
export function compactionMark({ readers, lastOldSeq, lastSeq, firstWaitingSeq }: OutboxFacts): number {
  const active = readers.filter(({ isActive }) => isActive).map(({ seq }) => seq);
  const waiting = firstWaitingSeq === null ? Number.POSITIVE_INFINITY : firstWaitingSeq - 1;
  return Math.max(0, Math.min(lastOldSeq, lastSeq - 1, waiting, ...active));
}

/** Events that are older may go, once every active reader has them. */
export function keptSince(nowMs: number): number {
  return nowMs - OUTBOX_KEPT_MS;
}
