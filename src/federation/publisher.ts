import type { Ledger } from '../ledger/ledger.ts';
import {
  type SentFrame,
  selectFramesAfter,
  selectFramesFor,
  selectLastFrames,
} from '../ledger/statements/federation/outbox.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import type { Timer } from '../platform/timer.ts';
import { epochOf, isLedgerBehind, ownEnd } from './epoch.ts';
import { Pump } from './pump.ts';
import { KEYS, type OutboxNotice, readNotice, readWanted, type WantedFrames } from './records.ts';
import type { Seals } from './seal.ts';
import { type Entry, type Frame, type Transport, TransportFault } from './transport.ts';

/** Frames that are given to the store at once. */
const FRAMES_PER_CALL_MAX = 256;
const RETRY_MS = 500;

export interface PublisherParts {
  readonly nodeId: string;
  readonly ledger: Pick<Ledger, 'read' | 'onCommitted'>;
  readonly transport: Transport;
  readonly seals: Seals;
  readonly timer: Timer;
  readonly log: Logger;
  /** The key by which frames for a node are sealed; null if the node is not known. */
  exchangeKeyOf(node: string): string | null;
  /** Learns the keys of a node, where the control plane has them. */
  meet(node: string): Promise<void>;
  /** The store has events of this node that the ledger does not have: begins a new epoch. */
  onLedgerBehind(storedEpoch: string): Promise<void>;
}

/** Brings the outbox of the ledger into the store, and brings it there again when the store lost it. */
export class Publisher {
  readonly #parts: PublisherParts;
  readonly #pump: Pump;
  /** The last seq that the store has, as far as this node knows; null if it has to be asked. */
  #published: number | null = null;
  #epoch = '';
  /** The seqs that readers were told as the end, since the last connection. */
  readonly #told = new Map<string, number>();
  #ends: (() => void)[] = [];

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    this.#pump = new Pump('own', () => this.#turn(), { gather: () => parts.timer.breathe() });
  }

  start(): void {
    const { ledger, transport, nodeId } = this.#parts;
    this.#ends = [ledger.onCommitted(() => this.#pump.run())];
    transport.onConnected(() => {
      this.lookAgain();
      void this.#watchWanted(nodeId);
    });
  }

  async stop(): Promise<void> {
    for (const end of this.#ends) end();
    await this.#pump.close();
  }

  /** Compares the end of the outbox in the store with the ledger, and publishes what is missing. */
  lookAgain(): void {
    this.#published = null;
    this.#told.clear();
    this.#pump.run();
  }

  /** Resolves when everything that is in the ledger now was given to the store, or the store failed. */
  async settled(): Promise<void> {
    await this.#pump.idle();
  }

  async #turn(): Promise<boolean> {
    if (!this.#parts.transport.isConnected) return false;
    try {
      return await this.#publish();
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error;
      this.#parts.log.log('federation.publish_failed', faultFacts(error));
      this.#published = null;
      this.#parts.timer.after(RETRY_MS, () => this.#pump.run());
      return false;
    }
  }

  async #publish(): Promise<boolean> {
    const { ledger, transport } = this.#parts;
    if (epochOf(ledger.read) === null) return false;
    if (this.#published === null || epochOf(ledger.read) !== this.#epoch) await this.#compare();
    const found = selectFramesAfter(ledger.read, this.#published ?? 0, FRAMES_PER_CALL_MAX);
    const last = found.at(-1);
    if (!last) return false;
    await this.#tell(found);
    await transport.append(await this.#sealed(found));
    this.#published = last.seq;
    return true;
  }

  async #compare(): Promise<void> {
    const { ledger, transport, onLedgerBehind } = this.#parts;
    const stored = await transport.ownHead();
    if (stored !== null && isLedgerBehind(ownEnd(ledger.read), stored)) await onLedgerBehind(stored.epoch);
    this.#epoch = epochOf(ledger.read) ?? '';
    this.#published = stored?.epoch === this.#epoch ? stored.seq : 0;
  }

  /** Each destination learns of this outbox before its first frame: it reads those that it knows of. */
  async #tell(frames: readonly SentFrame[]): Promise<void> {
    for (const dest of new Set(frames.map((frame) => frame.dest))) {
      if (!this.#told.has(dest)) await this.#notice(dest, { epoch: this.#epoch, seq: 0, frame: 0 });
    }
  }

  /** Tells every reader the end of the outbox that it was not told yet. */
  async tellEnds(): Promise<void> {
    const { ledger, transport, log } = this.#parts;
    const epoch = epochOf(ledger.read);
    const seq = this.#published;
    if (epoch === null || epoch !== this.#epoch || seq === null || !transport.isConnected) return;
    try {
      for (const { dest, frame } of selectLastFrames(ledger.read, seq)) {
        if (this.#told.get(dest) !== seq) await this.#notice(dest, { epoch, seq, frame });
      }
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error;
      log.log('federation.publish_failed', faultFacts(error));
    }
  }

  async #notice(dest: string, notice: OutboxNotice): Promise<void> {
    const { nodeId, transport } = this.#parts;
    const key = KEYS.route(dest, nodeId);
    const found = await transport.get(key);
    // An end that was told before tells more than none.
    if (notice.seq > 0 || found === null || readNotice(found)?.epoch !== notice.epoch) {
      await transport.put(key, JSON.stringify({ source: nodeId, ...notice }), found?.revision ?? 0);
    }
    this.#told.set(dest, notice.seq);
  }

  async #sealed(frames: readonly SentFrame[]): Promise<readonly Frame[]> {
    const { nodeId, seals, exchangeKeyOf, meet, log } = this.#parts;
    const epoch = this.#epoch;
    const keys = new Map<string, string | null>();
    for (const { dest } of frames) {
      if (keys.has(dest)) continue;
      // A message for all is the first word to many of them.
      if (exchangeKeyOf(dest) === null) await meet(dest);
      keys.set(dest, exchangeKeyOf(dest));
    }
    return frames.flatMap(({ at, ...frame }) => {
      const key = keys.get(frame.dest) ?? null;
      // Its reader misses the frame, and asks for it once the two know each other.
      if (key === null) log.log('federation.unknown_node', { node: frame.dest, seq: frame.seq });
      const plain = { source: nodeId, epoch, recordedAt: at, ...frame };
      return key === null ? [] : [{ ...plain, seal: seals.seal(plain, key) }];
    });
  }

  async #watchWanted(nodeId: string): Promise<void> {
    const { transport } = this.#parts;
    try {
      const end = await transport.watch(KEYS.wantedFrom(nodeId), () => void this.answerWanted());
      this.#ends.push(end);
      await this.answerWanted();
    } catch (error) {
      // The next connection watches again.
      this.#parts.log.log('federation.watch_failed', faultFacts(error));
    }
  }

  /** Publishes again the frames that readers miss. */
  async answerWanted(): Promise<void> {
    const { transport, nodeId } = this.#parts;
    try {
      for (const entry of await transport.list(KEYS.wantedFrom(nodeId))) await this.#answer(entry);
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error;
      this.#parts.log.log('federation.publish_failed', faultFacts(error));
    }
  }

  async #answer(entry: Entry): Promise<void> {
    const { transport, nodeId } = this.#parts;
    const wanted = readWanted(entry);
    const dest = entry.key.slice(KEYS.wantedFrom(nodeId).length);
    if (wanted !== null) await this.#republish(dest, wanted);
    await transport.remove(entry.key, entry.revision);
  }

  async #republish(dest: string, { epoch, first, last }: WantedFrames): Promise<void> {
    const { ledger, transport } = this.#parts;
    if (epoch !== epochOf(ledger.read)) return;
    this.#epoch = epoch;
    for (let from = first; from <= last; ) {
      const page = { first: from, last, limit: FRAMES_PER_CALL_MAX };
      const found = selectFramesFor(ledger.read, dest, page);
      const end = found.at(-1);
      if (!end) return;
      await transport.append(await this.#sealed(found), { isAgain: true });
      from = end.seq + 1;
    }
  }
}
