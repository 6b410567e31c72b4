import type { GapPolicy } from '../domain/federation/advance-cursor.ts';
import type { Residents } from '../domain/federation/choose-recipients.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectDue, selectLastFrames, selectReceipts } from '../ledger/statements/federation/outbox.ts';
import type { Clock } from '../platform/clock.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import type { Timer } from '../platform/timer.ts';
import { CursorRecords } from './cursor-records.ts';
import { beginEpoch, epochOf, isLedgerBehind, ownEnd } from './epoch.ts';
import type { Inject } from './inbox.ts';
import { type Recipient, resendEvent, type Sender } from './outbox.ts';
import { Publisher } from './publisher.ts';
import { KEYS, readNotice, readRecord } from './records.ts';
import type { Seals } from './seal.ts';
import { type MissingFrames, SourceReader } from './source-reader.ts';
import { type Transport, TransportFault } from './transport.ts';

const RESENDS_PER_TICK_MAX = 200;
/** The end of the outbox is told to idle readers this often. */
const TELL_ENDS_MS = 5_000;

export interface DataPlaneParts {
  readonly nodeId: string;
  readonly ledger: Pick<Ledger, 'read' | 'submit' | 'onCommitted'>;
  readonly transport: Transport;
  readonly seals: Seals;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Logger;
  readonly gapPolicy: GapPolicy;
  sender(): Sender;
  residents(): Residents;
  readonly inject: Inject;
  /** The node that has an agent now; null if none is known. */
  routeTo(agent: string): Promise<Recipient | null>;
  exchangeKeyOf(node: string): string | null;
  acceptedKeyOf(node: string): string | null;
  /** Resolves when this node owns its agents: a frame that is read before is for nobody here, and has to be sent again. */
  joined(): Promise<void>;
  /** Learns the keys of a node before its first frame is read. */
  meet(node: string): Promise<void>;
  /** Events of other nodes were stored. */
  onNews(): void;
}

/** Outbox, inbox and cursors of a node: it publishes its own events and reads those of others. */
export class DataPlane {
  readonly #parts: DataPlaneParts;
  readonly #publisher: Publisher;
  readonly #readers = new Map<string, SourceReader>();
  readonly #starting = new Map<string, Promise<void>>();
  readonly #cursors: CursorRecords;
  #endWatch: () => void = () => {};
  /** Looks at outboxes that nobody awaits; the node ends after them. */
  readonly #looks = new Set<Promise<void>>();
  #toldAtMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(parts: DataPlaneParts) {
    this.#parts = parts;
    this.#cursors = new CursorRecords(parts);
    this.#publisher = new Publisher({ ...parts, onLedgerBehind: (stored) => this.#beginEpoch(stored, 'restored') });
  }

  async start(): Promise<void> {
    const { ledger, transport } = this.#parts;
    if (epochOf(ledger.read) === null) await this.#beginEpoch(null, 'joined');
    this.#publisher.start();
    transport.onConnected(() => this.#begin(this.#connected()));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endWatch();
    await this.#publisher.stop();
    await Promise.all([...this.#readers.values()].map((reader) => reader.stop()));
    await Promise.all(this.#looks);
  }

  /** The hole in the outbox of a node that is waited for; null if there is none. */
  missingOf(source: string): MissingFrames | null {
    return this.#readers.get(source)?.missing ?? null;
  }

  /** Resolves when everything in the ledger was given to the store, or the store failed. */
  async published(): Promise<void> {
    await this.#publisher.settled();
  }

  /** One tick: resends frames, checks gaps, saves cursors, announces the end of the outbox. */
  async tick(): Promise<void> {
    const { transport, clock } = this.#parts;
    if (!transport.isConnected || this.#isStopped) return;
    await this.#resend();
    for (const reader of this.#readers.values()) await reader.tick();
    await this.#cursors.write([...this.#readers.keys()]);
    const nowMs = clock.now().monotonicMs;
    if (nowMs - this.#toldAtMs < TELL_ENDS_MS) return;
    this.#toldAtMs = nowMs;
    await this.#publisher.tellEnds();
  }

  /** With every heartbeat: what the store may have lost without a word. */
  async checkStore(): Promise<void> {
    await this.#checkReaders();
    this.#publisher.lookAgain();
    await this.#publisher.answerWanted();
    await this.findSources();
  }

  /** A reader that is ahead of the own ledger has read events that the ledger lost, also where the store lost them too. */
  async #checkReaders(): Promise<void> {
    const { ledger, transport, nodeId } = this.#parts;
    const own = ownEnd(ledger.read);
    for (const { dest } of selectLastFrames(ledger.read, own.seq)) {
      const entry = await transport.get(KEYS.cursor(dest, nodeId));
      if (entry !== null) await this.#cursors.markStale(entry);
      const { epoch, lastSeq } = readRecord(entry?.value ?? '');
      if (typeof epoch !== 'string' || !Number.isSafeInteger(lastSeq)) continue;
      if (!isLedgerBehind(own, { epoch, seq: lastSeq as number })) continue;
      return await this.#beginEpoch(epoch, 'restored');
    }
  }

  async #connected(): Promise<void> {
    const { transport, nodeId, log } = this.#parts;
    try {
      this.#endWatch();
      this.#cursors.forget();
      await this.#parts.joined();
      if (this.#isStopped) return;
      this.#endWatch = await transport.watch(KEYS.routesTo(nodeId), (key) => this.#begin(this.#look(key)));
      await this.findSources();
    } catch (error) {
      // The next connection, or the next heartbeat, finds them.
      log.log('federation.watch_failed', faultFacts(error));
    }
  }

  /** Reads the outboxes that have something for this node, to their ends. */
  async findSources(): Promise<void> {
    const { transport, nodeId } = this.#parts;
    for (const { key } of await transport.list(KEYS.routesTo(nodeId))) await this.#look(key);
  }

  /** Ignores faults of a ledger that is closing; logs others, and the next heartbeat tries again. */
  #begin(work: Promise<void>): void {
    const look = work
      .catch((error: unknown) => {
        if (!this.#isStopped) this.#parts.log.log('federation.failed', faultFacts(error));
      })
      .finally(() => this.#looks.delete(look));
    this.#looks.add(look);
  }

  async #look(key: string): Promise<void> {
    if (this.#isStopped) return;
    const { transport, nodeId, log } = this.#parts;
    const source = key.slice(KEYS.routesTo(nodeId).length);
    try {
      await this.#readerOf(source);
      const entry = await transport.get(key);
      const notice = entry && readNotice(entry);
      if (notice) await this.#readers.get(source)?.reachEnd(notice);
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error;
      log.log('federation.read_failed', { source, ...faultFacts(error) });
    }
  }

  async #readerOf(source: string): Promise<void> {
    if (this.#readers.has(source) || this.#isStopped) return;
    const known = this.#starting.get(source);
    if (known) return await known;
    const starting = this.#startReader(source).finally(() => this.#starting.delete(source));
    this.#starting.set(source, starting);
    await starting;
  }

  async #startReader(source: string): Promise<void> {
    await this.#parts.meet(source);
    if (this.#parts.acceptedKeyOf(source) === null) return;
    const onTaken = (from: string) => {
      this.#cursors.moved(from);
      this.#parts.onNews();
    };
    const reader = new SourceReader(source, { ...this.#parts, onTaken });
    await reader.start();
    this.#readers.set(source, reader);
  }

  /** Nothing of a node is read any more. */
  async forget(source: string): Promise<void> {
    await this.#readers.get(source)?.stop();
    this.#readers.delete(source);
  }

  async #resend(): Promise<void> {
    const { ledger, clock, sender, routeTo } = this.#parts;
    for (const row of selectDue(ledger.read, clock.now().wallMs, RESENDS_PER_TICK_MAX)) {
      const open = selectReceipts(ledger.read, row.operation).filter(({ acceptedAt }) => acceptedAt === null);
      const routes = new Map<string, Recipient>();
      for (const { agent } of open) {
        const found = await routeTo(agent);
        if (found !== null) routes.set(agent, found);
      }
      await ledger.submit(resendEvent, { sender: sender(), eventId: row.eventId, routes });
    }
  }

  async #beginEpoch(after: string | null, reason: 'joined' | 'restored'): Promise<void> {
    const { ledger, nodeId } = this.#parts;
    const own = epochOf(ledger.read);
    const latest = own !== null && (after === null || own > after) ? own : after;
    await ledger.submit(beginEpoch, { nodeId, after: latest, reason });
  }
}
