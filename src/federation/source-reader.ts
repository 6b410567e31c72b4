import {
  type EndVerdict,
  type GapPolicy,
  type OutboxEnd,
  reachEnd,
  type SeqRange,
} from '../domain/federation/advance-cursor.ts';
import type { Residents } from '../domain/federation/choose-recipients.ts';
import { GAP_TIMEOUT_SECONDS } from '../domain/federation/federation-limits.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Command } from '../ledger/commit-queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectCursor, upsertCursor } from '../ledger/statements/federation/inbox.ts';
import type { Clock } from '../platform/clock.ts';
import { type Inject, takeFrames } from './inbox.ts';
import type { Sender } from './outbox.ts';
import { decideGap } from './pass-gap.ts';
import { KEYS, writeOwn } from './records.ts';
import { refuseFrame } from './refuse-frame.ts';
import type { Seals } from './seal.ts';
import type { Arrival, Frame, Subscription, Transport } from './transport.ts';

/** Frames behind a hole that are kept in memory; more are read again from the store later. */
const HELD_FRAMES_MAX = 5_000;
/** Frames that come in another order than they were sent fill their hole within this time. */
const ASK_AFTER_MS = 250;
const ASK_AGAIN_MS = 5_000;
/** The difference of two clocks counts for this long. */
const CLOCK_KEPT_MS = 10 * 60_000;

export interface SourceReaderParts {
  readonly nodeId: string;
  readonly ledger: Pick<Ledger, 'read' | 'submit'>;
  readonly transport: Transport;
  readonly seals: Seals;
  readonly clock: Clock;
  readonly gapPolicy: GapPolicy;
  /** The key by which frames of a node are sealed; null if nothing of it is accepted. */
  acceptedKeyOf(node: string): string | null;
  sender(): Sender;
  residents(): Residents;
  readonly inject: Inject;
  /** Looks at the keys that a node shows now. */
  meet(node: string): Promise<void>;
  /** Called after frames were stored. */
  onTaken(source: string): void;
}

/** Frames that did not come yet. */
export interface MissingFrames extends SeqRange {
  readonly waitedMs: number;
}

interface OpenGap {
  readonly missing: SeqRange;
  readonly epoch: string;
  readonly sinceMs: number;
  askedMs: number | null;
}

/** Reads the outbox of one other node. */
export class SourceReader {
  readonly source: string;
  readonly #parts: SourceReaderParts;
  #subscription: Subscription | null = null;
  #held: readonly Arrival[] = [];
  #gap: OpenGap | null = null;
  #ahead: { readonly ms: number; readonly atMs: number } | null = null;
  /** A hole was so large that frames behind it were dropped: they are read again. */
  #isOverflown = false;

  constructor(source: string, parts: SourceReaderParts) {
    this.source = source;
    this.#parts = parts;
  }

  /** The hole that is waited for, and for how long; null if there is none. */
  get missing(): MissingFrames | null {
    if (this.#gap === null) return null;
    const { missing, sinceMs } = this.#gap;
    return { ...missing, waitedMs: this.#parts.clock.now().monotonicMs - sinceMs };
  }

  async start(): Promise<void> {
    const { ledger, transport } = this.#parts;
    const position = selectCursor(ledger.read, this.source)?.position ?? null;
    this.#subscription = await transport.subscribe(this.source, position, (arrivals) => this.#take(arrivals));
  }

  async stop(): Promise<void> {
    await this.#subscription?.close();
    this.#subscription = null;
  }

  /** Takes everything that the store has, and then compares the cursor with the end that the source tells. */
  async reachEnd(end: OutboxEnd): Promise<void> {
    const { ledger } = this.#parts;
    await this.#subscription?.drained();
    if (this.#gap !== null || this.#subscription === null) return;
    const verdict = await ledger.submit(moveToEnd, { source: this.source, end });
    if (!isRefusal(verdict) && verdict.kind === 'hold') this.#openGap(verdict.missing, end.epoch);
  }

  /** Asks for missing frames, and passes a hole when its time is over. */
  async tick(): Promise<void> {
    const gap = this.#gap;
    if (gap === null) return;
    const { ledger, clock, gapPolicy } = this.#parts;
    const nowMs = clock.now().monotonicMs;
    const waitedMs = nowMs - gap.sinceMs;
    if (waitedMs >= ASK_AFTER_MS && (gap.askedMs === null || nowMs - gap.askedMs >= ASK_AGAIN_MS)) {
      gap.askedMs = nowMs;
      await this.#ask(gap);
    }
    const { missing, epoch } = gap;
    const rule = { policy: gapPolicy, timeoutMs: GAP_TIMEOUT_SECONDS * 1_000 };
    if (waitedMs < rule.timeoutMs) return;
    const answer = await ledger.submit(decideGap, { source: this.source, epoch, missing, waitedMs, rule });
    if (isRefusal(answer) || answer.verdict !== 'pass') return;
    this.#gap = null;
    await this.#take([]);
  }

  async #ask({ missing, epoch }: OpenGap): Promise<void> {
    const { transport, nodeId } = this.#parts;
    await writeOwn(transport, KEYS.wanted(this.source, nodeId), JSON.stringify({ epoch, ...missing }));
  }

  async #take(arrivals: readonly Arrival[]): Promise<void> {
    const { ledger, sender, residents, inject, onTaken } = this.#parts;
    const sealed = await this.#withoutForged(arrivals);
    this.#learnClock(sealed);
    const inOrder = [...this.#held, ...sealed].sort(byPlace);
    if (inOrder.length === 0) return;
    const position = this.#isOverflown ? null : (arrivals.at(-1)?.position ?? null);
    const answer = await ledger.submit(takeFrames({ residents: residents(), inject }), {
      sender: sender(),
      source: this.source,
      arrivals: inOrder,
      position,
      aheadMs: this.#ahead?.ms ?? 0,
    });
    // On a full disk nothing was stored: the frames come again with the next ones.
    if (isRefusal(answer)) throw new Error(answer.message);
    await this.#keepHeld(inOrder, answer);
    onTaken(this.source);
  }

  async #keepHeld(
    inOrder: readonly Arrival[],
    { heldFrom, missing, epoch }: { heldFrom: number | null; missing: SeqRange | null; epoch: string },
  ): Promise<void> {
    const held = heldFrom === null ? [] : inOrder.slice(heldFrom);
    this.#held = held.slice(0, HELD_FRAMES_MAX);
    const wasOverflown = this.#isOverflown;
    this.#isOverflown = held.length > HELD_FRAMES_MAX || (wasOverflown && held.length > 0);
    const [first] = held;
    if (missing === null || !first) {
      this.#gap = this.#stillOpen();
      if (wasOverflown && !this.#isOverflown) await this.#readAgain();
      return;
    }
    const frameEpoch = first.frame.epoch > epoch ? first.frame.epoch : epoch;
    this.#openGap(missing, frameEpoch);
  }

  /** Filling a part of a gap does not reset its timer. */
  #openGap(missing: SeqRange, epoch: string): void {
    const isSame = this.#gap?.epoch === epoch && this.#gap.missing.last === missing.last;
    if (isSame && this.#gap?.missing.first === missing.first) return;
    const sinceMs = isSame && this.#gap ? this.#gap.sinceMs : this.#parts.clock.now().monotonicMs;
    this.#gap = { missing, epoch, sinceMs, askedMs: null };
  }

  /** The end of the outbox may still be missing. */
  #stillOpen(): OpenGap | null {
    const cursor = selectCursor(this.#parts.ledger.read, this.source);
    const gap = this.#gap;
    return gap !== null && cursor?.epoch === gap.epoch && cursor.lastFrame < gap.missing.last ? gap : null;
  }

  /** From the last position of which everything before it was stored. */
  async #readAgain(): Promise<void> {
    const old = this.#subscription;
    this.#subscription = null;
    // Not awaited: it waits for the frames that are being taken.
    void old?.close();
    await this.start();
  }

  /** Frames that this source did not seal for this node; the first one is reported. */
  async #withoutForged(arrivals: readonly Arrival[]): Promise<readonly Arrival[]> {
    const { nodeId, seals, acceptedKeyOf, ledger } = this.#parts;
    const key = acceptedKeyOf(this.source);
    const isGenuine = ({ frame }: Arrival) =>
      key !== null && frame.source === this.source && frame.dest === nodeId && seals.isSealedBy(frame, key);
    const genuine = arrivals.filter(isGenuine);
    const [forged] =
      genuine.length < arrivals.length && key !== null ? arrivals.filter((each) => !isGenuine(each)) : [];
    if (forged) {
      // A node that has another key now seals with that one: a person is told so.
      await this.#parts.meet(this.source);
      await ledger.submit(refuseForged, forged.frame);
    }
    return genuine;
  }

  #learnClock(arrivals: readonly Arrival[]): void {
    const { wallMs, monotonicMs } = this.#parts.clock.now();
    const seen = arrivals.map(({ frame }) => frame.recordedAt - wallMs);
    const old = this.#ahead !== null && monotonicMs - this.#ahead.atMs < CLOCK_KEPT_MS ? [this.#ahead.ms] : [];
    const ms = Math.max(...seen, ...old);
    if (Number.isFinite(ms) && ms !== this.#ahead?.ms) this.#ahead = { ms, atMs: monotonicMs };
  }
}

function byPlace(one: Arrival, two: Arrival): number {
  const [a, b] = [one.frame, two.frame];
  if (a.epoch !== b.epoch) return a.epoch < b.epoch ? -1 : 1;
  return a.seq - b.seq;
}

const refuseForged: Command<Pick<Frame, 'source' | 'seq'>, { readonly seq: number }> = (tx, frame) => {
  refuseFrame(tx, frame, 'its seal is not that of its source');
  return { seq: frame.seq };
};

const moveToEnd: Command<{ readonly source: string; readonly end: OutboxEnd }, EndVerdict> = (tx, { source, end }) => {
  const before = selectCursor(tx, source);
  const verdict = reachEnd(before, end);
  if (verdict.kind === 'move') {
    const updatedAt = tx.moment.now.wallMs;
    upsertCursor(tx, { source, ...verdict.cursor, position: before?.position ?? null, updatedAt });
  }
  return verdict;
};
