/** The place of a reader in the outbox of another node. */
export interface Cursor {
  readonly epoch: string;
  /** Everything up to it is stored, or was not for this node. */
  readonly lastSeq: number;
  /** The last frame for this node: the next one names it as the one before. */
  readonly lastFrame: number;
}

export interface FramePlace {
  readonly epoch: string;
  readonly seq: number;
  readonly prev: number;
}

/** A range of seqs, both ends included. */
export interface SeqRange {
  readonly first: number;
  readonly last: number;
}

export type FrameVerdict =
  /** The next in the chain. */
  | { readonly kind: 'take'; readonly cursor: Cursor }
  /** It was given up on as lost: delivered now, once. */
  | { readonly kind: 'late' }
  /** It came before. */
  | { readonly kind: 'repeat' }
  /** Frames before it are missing. */
  | { readonly kind: 'hold'; readonly missing: SeqRange }
  /** The event is of an earlier generation of the outbox, or has no place at all. */
  | { readonly kind: 'stale' };

/** Judges a frame by its place. A new epoch starts the cursor over (runtime:epoch). */
export function advanceCursor(cursor: Cursor | null, frame: FramePlace, lost: readonly SeqRange[]): FrameVerdict {
  const { epoch, seq, prev } = frame;
  if (epoch === '' || seq < 1 || prev < 0 || prev >= seq) return { kind: 'stale' };
  if (cursor !== null && epoch < cursor.epoch) return { kind: 'stale' };
  const { lastFrame, lastSeq } = cursor?.epoch === epoch ? cursor : { lastFrame: 0, lastSeq: 0 };
  if (seq <= lastFrame) {
    const isLost = lost.some(({ first, last }) => first <= seq && seq <= last);
    return { kind: isLost ? 'late' : 'repeat' };
  }
  if (prev <= lastFrame) return { kind: 'take', cursor: { epoch, lastSeq: Math.max(lastSeq, seq), lastFrame: seq } };
  return { kind: 'hold', missing: { first: lastFrame + 1, last: prev } };
}

/** The end of an outbox: its last event, and the last one for this reader. */
export interface OutboxEnd {
  readonly epoch: string;
  readonly seq: number;
  readonly frame: number;
}

export type EndVerdict =
  /** Nothing new. */
  | { readonly kind: 'stay' }
  /** Nothing for this reader is missing up to there. */
  | { readonly kind: 'move'; readonly cursor: Cursor }
  /** The last frames did not come. */
  | { readonly kind: 'hold'; readonly missing: SeqRange };

/** Compares a cursor with the end of the outbox, once everything that the store has was taken. */
export function reachEnd(cursor: Cursor | null, { epoch, seq, frame }: OutboxEnd): EndVerdict {
  if (epoch === '' || (cursor !== null && epoch < cursor.epoch)) return { kind: 'stay' };
  const here = cursor?.epoch === epoch ? cursor : { epoch, lastSeq: 0, lastFrame: 0 };
  if (frame > here.lastFrame) return { kind: 'hold', missing: { first: here.lastFrame + 1, last: frame } };
  if (seq <= here.lastSeq && here === cursor) return { kind: 'stay' };
  return { kind: 'move', cursor: { ...here, lastSeq: Math.max(here.lastSeq, seq) } };
}

/** runtime:gaps */
export const GAP_POLICIES = ['tombstone', 'skip', 'halt'] as const;
export type GapPolicy = (typeof GAP_POLICIES)[number];

export type GapVerdict =
  | { readonly kind: 'wait' }
  /** Continues behind the gap. With `isRecorded` a frame of it that comes late is still delivered. */
  | { readonly kind: 'pass'; readonly cursor: Cursor; readonly isRecorded: boolean }
  /** Stays where it is until a person decides. */
  | { readonly kind: 'halt' };

/** After the gap timeout the reader passes the gap or halts; either way an incident names it. */
export function passGap(
  { epoch, missing, waitedMs }: { readonly epoch: string; readonly missing: SeqRange; readonly waitedMs: number },
  { policy, timeoutMs }: { readonly policy: GapPolicy; readonly timeoutMs: number },
): GapVerdict {
  if (waitedMs < timeoutMs) return { kind: 'wait' };
  if (policy === 'halt') return { kind: 'halt' };
  const cursor = { epoch, lastSeq: missing.last, lastFrame: missing.last };
  return { kind: 'pass', cursor, isRecorded: policy === 'tombstone' };
}
