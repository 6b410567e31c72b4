import * as fs from 'node:fs';
import { NDJSON_LINE_BYTES_MAX } from '../domain/federation/message-limits.ts';
import { EVENT_LOG_TAIL_BYTES, EVENTS_PER_PAGE_MAX } from '../domain/limits.ts';
import { findSecrets } from '../domain/secrets/find-secrets.ts';
import { maskValue } from '../domain/secrets/mask-secrets.ts';
import { type StoredEvent, selectEventInstants, selectStoredEvents } from '../ledger/statements/events.ts';
import { selectMeta } from '../ledger/statements/meta.ts';
import type { Reader } from '../ledger/tx.ts';
import { crashPoint } from '../platform/process/crash-point.ts';
import { TreeFault } from './tree-fault.ts';
import type { TreeFiles } from './tree-files.ts';
import { dayPath, EVENTS_FOLDER, folderOf } from './tree-paths.ts';

/** The seq up to which the event files are known to be complete; recorded by the mirror's own commands. */
export const EVENTS_MIRRORED = 'events_mirrored';

/** More than one day, because a clock that jumps back writes to an older file. */
export const DAYS_REMEMBERED_MAX = 8;

export interface EventLogParts {
  readonly files: TreeFiles;
  readonly read: Reader;
  onTorn(path: string, cut: string): void;
}

/** Writes events/YYYY-MM-DD.jsonl (aof:event-lines): one line an event, in the order of the ledger, each exactly once. */
export class EventLog {
  readonly #parts: EventLogParts;
  /** The seq of the last line of each file that was read. */
  readonly #ends = new Map<string, number>();
  #written: number | null = null;

  constructor(parts: EventLogParts) {
    this.#parts = parts;
  }

  /** All events up to this seq are written; null until the files have been read. */
  get written(): number | null {
    return this.#written;
  }

  /** The last written seq according to the ledger. */
  recorded(): number {
    return Number(selectMeta(this.#parts.read, EVENTS_MIRRORED) ?? 0);
  }

  /** Appends the next page of events with one write a file. */
  append(): void {
    this.#written ??= this.#findStart();
    const events = selectStoredEvents(this.#parts.read, this.#written, EVENTS_PER_PAGE_MAX);
    const last = events.at(-1);
    if (!last) return;
    this.#parts.files.ensureFolder(EVENTS_FOLDER);
    for (const [day, ofDay] of byDay(events)) this.#appendDay(day, ofDay);
    this.#written = last.seq;
    crashPoint('mirror.events-appended');
  }

  /** Reads the files again after a rebuild or a failed write. */
  forget(): void {
    this.#ends.clear();
    this.#written = null;
  }

  /**
   * The recorded seq, unless a power cut lost the end of a file: then the last event that still has its line. Events
   * that follow it and are written already are skipped by the last seq of their file.
   */
  #findStart(): number {
    const { read } = this.#parts;
    let seq = this.recorded();
    for (;;) {
      const page = selectEventInstants(read, seq, EVENTS_PER_PAGE_MAX);
      const whole = page.find((event) => this.#endOf(dayOf(event.at)) >= event.seq);
      if (whole) return whole.seq;
      const oldest = page.at(-1);
      if (!oldest) return 0;
      seq = oldest.seq - 1;
    }
  }

  #endOf(day: string): number {
    const known = this.#ends.get(day);
    if (known !== undefined) return known;
    const path = dayPath(day);
    this.#parts.files.ensureFolder(folderOf(path));
    const { lastSeq, cut } = repairTail(this.#parts.files.at(path), path);
    if (cut !== null) this.#parts.onTorn(path, cut);
    this.#remember(day, lastSeq);
    return lastSeq;
  }

  #remember(day: string, seq: number): void {
    this.#ends.delete(day);
    this.#ends.set(day, seq);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > DAYS_REMEMBERED_MAX && oldest !== undefined) this.#ends.delete(oldest);
  }

  #appendDay(day: string, events: readonly StoredEvent[]): void {
    const end = this.#endOf(day);
    const missing = events.filter(({ seq }) => seq > end);
    const last = missing.at(-1);
    if (!last) return;
    // Unknown until the write has succeeded: the next read repairs a torn line.
    this.#ends.delete(day);
    appendWhole(this.#parts.files.at(dayPath(day)), missing.map(eventLogLine).join(''));
    this.#remember(day, last.seq);
  }
}

function appendWhole(file: string, text: string): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = fs.constants;
  const descriptor = fs.openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    fs.writeFileSync(descriptor, text);
  } finally {
    fs.closeSync(descriptor);
  }
}

export function byDay(events: readonly StoredEvent[]): Map<string, StoredEvent[]> {
  return Map.groupBy(events, ({ at }) => dayOf(at));
}

/** An undecodable message has no task. The payload is JSON already, and stays as it is unless it has a secret. */
export function eventLogLine({ seq, type, at, actor, taskId, payload }: StoredEvent): string {
  const task = taskId === null ? '' : `,"taskId":${quoteTask(taskId)}`;
  const about = `"type":"${type}","timestamp":"${instantOf(at)}","actor":${quoteActor(actor)}${task}`;
  return `{"eventId":${seq},${about},"payload":${maskedPayload(payload)}}\n`;
}

function maskedPayload(payload: string): string {
  return findSecrets(payload).length === 0 ? payload : JSON.stringify(maskValue(JSON.parse(payload)));
}

const quoteTask = quoter();
const quoteActor = quoter();

/** JSON of a text; the events of one command have the same task and actor. */
function quoter(): (text: string) => string {
  let last = { text: '', json: '""' };
  return (text) => {
    if (last.text !== text) last = { text, json: JSON.stringify(text) };
    return last.json;
  };
}

function dayOf(at: number): string {
  return instantOf(at).slice(0, 10);
}

let lastInstant = { at: 0, text: new Date(0).toISOString() };

/** The events of one commit have the same instant. */
function instantOf(at: number): string {
  if (lastInstant.at !== at) lastInstant = { at, text: new Date(at).toISOString() };
  return lastInstant.text;
}

export interface EventTail {
  /** The seq of the last complete record; 0 if there is none. */
  readonly lastSeq: number;
  /** The torn text that was cut off; null if there was none. */
  readonly cut: string | null;
}

const LINE_FEED = 10;
const CUT_SHOWN_BYTES = 200;

/** Reads the end of an event file and cuts off a line that a crash left torn. */
function repairTail(file: string, path: string): EventTail {
  const { O_RDWR, O_NOFOLLOW } = fs.constants;
  const descriptor = openExisting(file, O_RDWR | O_NOFOLLOW);
  if (descriptor === null) return { lastSeq: 0, cut: null };
  try {
    const { size } = fs.fstatSync(descriptor);
    const good = lastGoodRecord(descriptor, size, path);
    if (good.end === size) return { lastSeq: good.seq, cut: null };
    const cut = Buffer.alloc(Math.min(CUT_SHOWN_BYTES, size - good.end));
    fs.readSync(descriptor, cut, 0, cut.length, good.end);
    fs.ftruncateSync(descriptor, good.end);
    return { lastSeq: good.seq, cut: cut.toString('utf8') };
  } finally {
    fs.closeSync(descriptor);
  }
}

function openExisting(file: string, flags: number): number | null {
  try {
    return fs.openSync(file, flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

interface GoodRecord {
  readonly seq: number;
  /** The offset after its line feed. */
  readonly end: number;
}

/** Reads more and more of the end until it contains a complete record. */
export function lastGoodRecord(descriptor: number, size: number, path: string): GoodRecord {
  for (let bytes = EVENT_LOG_TAIL_BYTES; ; bytes *= 4) {
    const from = Math.max(0, size - bytes);
    const tail = Buffer.alloc(size - from);
    fs.readSync(descriptor, tail, 0, tail.length, from);
    const found = lastRecordIn(tail, from === 0);
    if (found) return { seq: found.seq, end: from + found.end };
    if (from === 0) return { seq: 0, end: 0 };
    if (bytes > NDJSON_LINE_BYTES_MAX) throw new TreeFault('no_record', `${path} ends in no record`, path);
  }
}

function lastRecordIn(tail: Buffer, isWhole: boolean): GoodRecord | null {
  for (let end = tail.lastIndexOf(LINE_FEED); end !== -1; ) {
    const before = end === 0 ? -1 : tail.lastIndexOf(LINE_FEED, end - 1);
    if (before === -1 && !isWhole) return null;
    const seq = seqOf(tail.toString('utf8', before + 1, end));
    if (seq !== null) return { seq, end: end + 1 };
    end = before;
  }
  return null;
}

function seqOf(line: string): number | null {
  try {
    const { eventId } = JSON.parse(line) as { eventId?: unknown };
    return Number.isSafeInteger(eventId) ? (eventId as number) : null;
  } catch {
    // A torn line, or no record of Baton's.
    return null;
  }
}
