import { advanceCursor, type Cursor, type FrameVerdict, type SeqRange } from '../domain/federation/advance-cursor.ts';
import { chooseRecipient, type Residents, readFences } from '../domain/federation/choose-recipients.ts';
import type { Command } from '../ledger/commit-queue.ts';
import {
  hasResent,
  insertDelivery,
  insertInbox,
  selectCursor,
  selectKnownEvents,
  selectRepeated,
  selectTombstones,
  upsertCursor,
} from '../ledger/statements/federation/inbox.ts';
import type { Tx } from '../ledger/tx.ts';
import type { RuntimeEnvelope } from '../protocols/runtime/schema/events.ts';
import { type AckType, acknowledgeEvent, applyAcks, isAcceptance, isAck } from './acknowledge.ts';
import { addressees, isForAll, payloadHash, readEnvelope } from './envelope.ts';
import type { Sender } from './outbox.ts';
import { closeHaltedGap } from './pass-gap.ts';
import { refuseEnvelope } from './refuse-frame.ts';
import type { Arrival, Frame } from './transport.ts';

/** An event that is delivered for the first time. */
export interface DeliveredEvent {
  readonly envelope: RuntimeEnvelope;
  /** The recipients here. */
  readonly agents: readonly string[];
  readonly sender: Sender;
  /** The fence under which this node has a recipient; null for one that no other node can take over. */
  fenceOf(agent: string): number | null;
}

/** The consequence of an event in the ledger. */
export interface Injection {
  /** Something is still to be done about it, outside of a transaction. */
  readonly isQueued: boolean;
  /** Refused for good. */
  readonly isRefused?: boolean;
}

/** Applies a delivered event, in the open transaction. One for each kind but acks. */
export type Inject = (tx: Tx, delivered: DeliveredEvent) => Injection;

export interface FramesTaken {
  readonly sender: Sender;
  readonly source: string;
  /** In the order of their epochs and seqs. */
  readonly arrivals: readonly Arrival[];
  /** To continue from once none of the arrivals is held; null leaves it. */
  readonly position: string | null;
  /** The time by which the clock of the source is ahead of the own. */
  readonly aheadMs: number;
}

/** The parts of a node that its command for frames is made of. */
export interface TakingParts {
  readonly residents: Residents;
  readonly inject: Inject;
}

export interface TakenAnswer {
  /** The frames before the held one were taken; it and those after it wait. Null if none waits. */
  readonly heldFrom: number | null;
  readonly missing: SeqRange | null;
  readonly epoch: string;
  /** The number of events that were delivered to somebody here. */
  readonly delivered: number;
}

/**
 * Stores frames of one outbox: what is for somebody here is delivered and acknowledged, and the cursor advances, all in one
 * transaction. A frame behind a hole stops the rest.
 */
export const takeFrames =
  (parts: TakingParts): Command<FramesTaken, TakenAnswer> =>
  (tx, facts) => {
    const taking = new Taking(tx, facts, parts);
    let heldFrom: number | null = null;
    let missing: SeqRange | null = null;
    for (const [at, { frame }] of facts.arrivals.entries()) {
      const verdict = taking.judge(frame);
      if (verdict.kind === 'hold') {
        heldFrom = at;
        missing = verdict.missing;
        break;
      }
      taking.take(frame, verdict);
    }
    taking.finish(heldFrom === null);
    return { heldFrom, missing, epoch: taking.epoch, delivered: taking.delivered };
  };

/** One batch of frames in one transaction. */
class Taking {
  readonly #tx: Tx;
  readonly #facts: FramesTaken;
  readonly #parts: TakingParts;
  #cursor: Cursor | null;
  readonly #before: ReturnType<typeof selectCursor>;
  #lost: { readonly epoch: string; readonly ranges: readonly SeqRange[] } | null = null;
  readonly #read = new Map<Frame, ReturnType<typeof readEnvelope>>();
  readonly #known: Set<string>;
  #hasResent: boolean;
  readonly #acks: { readonly envelope: RuntimeEnvelope }[] = [];
  delivered = 0;

  constructor(tx: Tx, facts: FramesTaken, parts: TakingParts) {
    this.#tx = tx;
    this.#parts = parts;
    this.#facts = facts;
    this.#before = selectCursor(tx, facts.source);
    this.#cursor = this.#before;
    for (const { frame } of facts.arrivals) this.#read.set(frame, readEnvelope(frame.envelope));
    const ids = [...this.#read.values()].flatMap((read) => (read.kind === 'envelope' ? [read.envelope.eventId] : []));
    this.#known = selectKnownEvents(tx, ids);
    this.#hasResent = hasResent(tx, facts.source);
  }

  get epoch(): string {
    return this.#cursor?.epoch ?? '';
  }

  judge(frame: Frame): FrameVerdict {
    return advanceCursor(this.#cursor, frame, this.#lostIn(frame.epoch));
  }

  take(frame: Frame, verdict: FrameVerdict): void {
    if (verdict.kind === 'take') this.#cursor = verdict.cursor;
    if (verdict.kind === 'take' || verdict.kind === 'late') this.#open(frame);
  }

  finish(isAllTaken: boolean): void {
    applyAcks(this.#tx, this.#facts.source, this.#acks);
    const { source, position } = this.#facts;
    const kept = (isAllTaken && position !== null ? position : this.#before?.position) ?? null;
    if (this.#cursor === null || (this.#cursor === this.#before && kept === this.#before.position)) return;
    const { epoch, lastSeq, lastFrame } = this.#cursor;
    const updatedAt = this.#tx.moment.now.wallMs;
    upsertCursor(this.#tx, { source, epoch, lastSeq, lastFrame, position: kept, updatedAt });
    if (this.#cursor !== this.#before) closeHaltedGap(this.#tx, source);
  }

  #lostIn(epoch: string): readonly SeqRange[] {
    if (this.#lost?.epoch !== epoch) {
      this.#lost = { epoch, ranges: selectTombstones(this.#tx, this.#facts.source, epoch) };
    }
    return this.#lost.ranges;
  }

  #open(frame: Frame): void {
    const read = this.#read.get(frame);
    const reason = read?.kind === 'envelope' ? wrongPlace(frame, read.envelope) : (read?.reason ?? 'it was not read');
    if (read?.kind !== 'envelope' || reason !== null) {
      refuseEnvelope(this.#tx, this.#facts.sender, { frame, reason: reason ?? '' });
      return;
    }
    const { envelope } = read;
    if (isAck(envelope)) {
      this.#acks.push({ envelope });
      // At its place: later events of the batch may be about the work.
      if (isAcceptance(envelope)) this.#inject(envelope, []);
    } else if (!this.#known.has(envelope.eventId)) {
      this.#deliver(frame, envelope);
    }
  }

  #deliver(frame: Frame, envelope: RuntimeEnvelope): void {
    const tx = this.#tx;
    const { source, sender } = this.#facts;
    const agents = this.#recipientsOf(frame, envelope);
    if (agents === null) return;
    const { eventId, kind, corrId = null } = envelope;
    const hash = payloadHash(envelope.payload);
    const at = tx.moment.now.wallMs;
    const { attempt } = envelope.trace;
    // A first attempt repeats nothing, but it may come after one that repeats it: its frame was lost, and published again.
    const mayRepeat = corrId !== null && (attempt > 1 || this.#hasResent);
    const about = { source, corrId, kind, payloadHash: hash };
    const first = mayRepeat ? selectRepeated(tx, about, attempt > 1 ? 1 : 2) : null;
    const acks = (type: AckType) => {
      for (const agent of agents) acknowledgeEvent(tx, sender, { envelope, agent, type });
    };
    if (first !== null) {
      // A sender that hears of an acceptance first would act on it.
      if (first.endedAs !== 'failed_terminal') acks('accepted');
      if (first.endedAs !== null) acks(first.endedAs);
      return;
    }
    if (this.#hasExpired(envelope)) {
      acks('failed_terminal');
      return;
    }
    this.#known.add(eventId);
    if (attempt > 1) this.#hasResent = true;
    const { isQueued, isRefused = false } = this.#inject(envelope, agents);
    const endedAs = isRefused ? 'failed_terminal' : null;
    insertInbox(tx, { eventId, ...about, attempt, envelope: frame.envelope, at, isQueued, endedAs });
    for (const agent of agents) insertDelivery(tx, { eventId, agent, at });
    acks(isRefused ? 'failed_terminal' : 'accepted');
    this.delivered++;
  }

  #inject(envelope: RuntimeEnvelope, agents: readonly string[]): Injection {
    const { inject, residents } = this.#parts;
    return inject(this.#tx, { envelope, agents, sender: this.#facts.sender, fenceOf: residents.fenceOf });
  }

  /** Null if nobody here is to have it, or not now. An agent that is unknown here refuses it for good. */
  #recipientsOf(frame: Frame, envelope: RuntimeEnvelope): readonly string[] | null {
    const { sender } = this.#facts;
    const { residents } = this.#parts;
    const named = isForAll(envelope) ? residents.everybody() : addressees(envelope);
    if (named.length === 0) return [residents.nodeId];
    const fences = readFences(frame.fences);
    const verdicts = named.map((agent) => ({
      agent,
      ...chooseRecipient(agent, fences.get(agent) ?? null, residents),
    }));
    const here = verdicts.filter(({ kind }) => kind === 'deliver').map(({ agent }) => agent);
    if (here.length > 0) return here;
    // Another node may own one of them by now; nobody that is not here at all ever gets it.
    if (verdicts.every(({ kind }) => kind === 'unknown')) {
      const [agent = residents.nodeId, another] = named;
      const by = another === undefined ? agent : residents.nodeId;
      acknowledgeEvent(this.#tx, sender, { envelope, agent: by, type: 'failed_terminal' });
    }
    return null;
  }

  #hasExpired({ expiresAt }: RuntimeEnvelope): boolean {
    if (expiresAt === undefined) return false;
    return Date.parse(expiresAt) <= this.#tx.moment.now.wallMs + this.#facts.aheadMs;
  }
}

/** The reason why a frame does not belong where it was found; null if it does. */
function wrongPlace(frame: Frame, envelope: RuntimeEnvelope): string | null {
  if (envelope.sourceNodeId !== frame.source) {
    return `it claims to come from ${envelope.sourceNodeId}, but lies in the outbox of ${frame.source}`;
  }
  return envelope.seq === frame.seq ? null : `its seq is ${envelope.seq}, but that of its frame is ${frame.seq}`;
}
