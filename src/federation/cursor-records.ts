import { CURSOR_LEASE_SECONDS } from '../domain/federation/federation-limits.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type CursorRow, selectCursor } from '../ledger/statements/federation/inbox.ts';
import type { Clock } from '../platform/clock.ts';
import { faultFacts, type Logger } from '../platform/logger.ts';
import { isoInstant } from './envelope.ts';
import { KEYS, readRecord, writeOwn } from './records.ts';
import { type Entry, type Transport, TransportFault } from './transport.ts';

/** A cursor is written to the control plane this long after it moved, and renewed before its lease ends. */
const CURSOR_DELAY_MS = 1_000;
const CURSOR_RENEW_MS = (CURSOR_LEASE_SECONDS * 1_000) / 3;

interface CursorParts {
  readonly nodeId: string;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The status of a cursor whose lease has expired. */
export const STALE = 'stale';

/** The cursors of this node in the control plane, as the document has them (Runtime §6). */
export class CursorRecords {
  readonly #parts: CursorParts;
  readonly #written = new Map<string, { readonly cursor: CursorRow; readonly atMs: number }>();
  readonly #movedAtMs = new Map<string, number>();
  /** Revisions of the cursors of others that were marked. */
  readonly #marked = new Map<string, number>();

  constructor(parts: CursorParts) {
    this.#parts = parts;
  }

  /** After a connection everything is written again: the store may have lost it. */
  forget(): void {
    this.#written.clear();
  }

  /** Marks the cursor of a reader of this outbox whose lease has expired; the reader makes it active again (runtime:cursor-lease). */
  async markStale({ key, value, revision, ageMs }: Entry): Promise<void> {
    const { transport, log } = this.#parts;
    const record = readRecord(value);
    if (record.status === STALE || ageMs < CURSOR_LEASE_SECONDS * 1_000) return;
    // A server may not let this node write it: it is tried once.
    if (this.#marked.get(key) === revision) return;
    this.#marked.set(key, revision);
    try {
      await transport.put(key, JSON.stringify({ ...record, status: STALE }), revision);
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error;
      log.log('federation.cursor_not_written', { key, ...faultFacts(error) });
    }
  }

  moved(source: string): void {
    if (!this.#movedAtMs.has(source)) this.#movedAtMs.set(source, this.#parts.clock.now().monotonicMs);
  }

  async write(sources: readonly string[]): Promise<void> {
    const { clock, log } = this.#parts;
    const nowMs = clock.now().monotonicMs;
    for (const source of sources) {
      const cursor = selectCursor(this.#parts.ledger.read, source);
      if (cursor === null || !this.#isDue(cursor, nowMs)) continue;
      try {
        await this.#writeOne(cursor);
        this.#written.set(source, { cursor, atMs: nowMs });
        this.#movedAtMs.delete(source);
      } catch (error) {
        if (!(error instanceof TransportFault)) throw error;
        log.log('federation.cursor_not_written', { source, ...faultFacts(error) });
      }
    }
  }

  #isDue(cursor: CursorRow, nowMs: number): boolean {
    const before = this.#written.get(cursor.source);
    if (!before || nowMs - before.atMs >= CURSOR_RENEW_MS) return true;
    const isSame = before.cursor.lastSeq === cursor.lastSeq && before.cursor.epoch === cursor.epoch;
    const movedAtMs = this.#movedAtMs.get(cursor.source) ?? nowMs - CURSOR_DELAY_MS;
    return !isSame && nowMs - movedAtMs >= CURSOR_DELAY_MS;
  }

  async #writeOne({ source, lastSeq, epoch }: CursorRow): Promise<void> {
    const { nodeId, transport, clock } = this.#parts;
    const now = clock.now().wallMs;
    const record = {
      consumerNodeId: nodeId,
      sourceNodeId: source,
      lastSeq,
      updatedAt: isoInstant(now),
      status: 'active',
      leaseExpiresAt: isoInstant(now + CURSOR_LEASE_SECONDS * 1_000),
      epoch,
    };
    await writeOwn(transport, KEYS.cursor(nodeId, source), JSON.stringify(record));
  }
}
