import { isAlive } from './decide-ownership.ts';
import { NODE_SILENT_MS } from './federation-limits.ts';

/**
 * `silent`: two heartbeats are missing. `dead`: three are, or another node has declared it dead; its tasks go to others. `unseen`: the
 * control plane does not have it now, or cannot be reached.
 */
export type PeerLife = 'alive' | 'silent' | 'dead' | 'left' | 'unseen';

/** The record of a node in the control plane, by the clock of the store. */
export function judgeLife(record: { readonly status: string; readonly ageMs: number } | null): PeerLife {
  if (record === null) return 'unseen';
  if (record.status === 'left') return 'left';
  if (!isAlive(record)) return 'dead';
  return record.ageMs < NODE_SILENT_MS ? 'alive' : 'silent';
}

/** The time in which this node could not reach the store, last. */
export interface StoreAbsence {
  readonly lastedMs: number;
  /** Since its end. */
  readonly sinceMs: number;
}

/**
 * The silence of a node, by the age of its record. While the store was away nobody could write to it: that time counts for nobody, so
 * that no living node is taken for dead when the store returns.
 */
export function silenceMs(ageMs: number, absence: StoreAbsence | null): number {
  if (absence === null || ageMs <= absence.sinceMs) return ageMs;
  return Math.max(absence.sinceMs, ageMs - absence.lastedMs);
}

/** `asks`: nothing of it is accepted before a person trusts it. `other-key`: it shows another key than the one that counts. */
export type PeerStanding = 'accepted' | 'asks' | 'other-key' | 'removed';

export interface PeerFacts {
  readonly trust: 'known' | 'trusted' | 'removed';
  /** Null before a key of it counts. */
  readonly pinnedKey: string | null;
  /** Null where the control plane does not show it. */
  readonly shownKey: string | null;
  /** Only nodes that a person has trusted are accepted. */
  readonly isTrustNeeded: boolean;
}

/** Whether anything of a node is accepted, and if not, why. */
export function judgeStanding({ trust, pinnedKey, shownKey, isTrustNeeded }: PeerFacts): PeerStanding {
  if (trust === 'removed') return 'removed';
  if (pinnedKey !== null && shownKey !== null && pinnedKey !== shownKey) return 'other-key';
  return trust === 'known' && isTrustNeeded ? 'asks' : 'accepted';
}

/** The end of an outbox as its source tells one reader, and the place of that reader. */
export interface LagFacts {
  readonly end: { readonly epoch: string; readonly seq: number; readonly frame: number };
  /** Null before it has read anything. */
  readonly cursor: { readonly epoch: string; readonly lastSeq: number } | null;
}

/** The events that a reader has still to read. Events behind the last one that is for it are for others. */
export function measureLag({ end, cursor }: LagFacts): number {
  const read = cursor?.epoch === end.epoch ? cursor.lastSeq : 0;
  return read >= end.frame ? 0 : Math.max(0, end.seq - read);
}
