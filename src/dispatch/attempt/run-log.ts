import { appendFileSync, closeSync, existsSync, openSync, readSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RUN_LOG_BYTES_MAX, RUN_LOG_PAGE_BYTES } from '../../domain/limits.ts';
import { LineMask, maskValue } from '../../domain/secrets/mask-secrets.ts';
import type { RunHolder } from '../../domain/task/channel.ts';
import { EMPTY_ENTRY, plainText, type StoryEntry } from '../../domain/trace/story-entry.ts';
import type { Clock } from '../../platform/clock.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';

/** `output.log` is the story of the runs; `raw.log` has the lines of their programs as they printed them. */
type LogName = 'output.log' | 'raw.log';

/**
 * A log of all agents of a task, in one file for all its runs, with secrets masked. It is for people, so it is not synced; after a
 * crash the time of the file tells how long the agent was seen.
 */
class LogFile {
  readonly #file: string;
  #pending: string[] = [];
  #pendingBytes = 0;
  #bytes: number;

  constructor(dataFolder: string, owner: string, name: LogName) {
    this.#file = logFile(dataFolder, owner, name);
    makeFoldersIn(dataFolder, dirname(this.#file));
    this.#bytes = sizeOf(this.#file);
  }

  /** Sets the time of the file. */
  touch(atMs: number): void {
    if (existsSync(this.#file)) utimesSync(this.#file, atMs / 1_000, atMs / 1_000);
  }

  /** Buffers a line. True means that the buffer is full and `flush` is due. */
  add(text: string): boolean {
    if (this.#bytes > RUN_LOG_BYTES_MAX) return false;
    const line = `${text}\n`;
    this.#bytes += Buffer.byteLength(line);
    const isFull = this.#bytes > RUN_LOG_BYTES_MAX;
    const stored = isFull ? `[the log is full: ${RUN_LOG_BYTES_MAX} bytes]\n` : line;
    this.#pending.push(stored);
    this.#pendingBytes += stored.length;
    return isFull || this.#pendingBytes > RUN_LOG_PAGE_BYTES;
  }

  flush(): void {
    if (this.#pending.length === 0) return;
    appendFileSync(this.#file, this.#pending.join(''), { mode: 0o600 });
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

/** The last sign of life of a task's run, in milliseconds since 1970; null where there is none. */
export function lastSign(dataFolder: string, owner: string): number | null {
  return statSync(logFile(dataFolder, owner, 'output.log'), { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** The log of one run: output as it is printed, and the other entries of its story between the lines. */
export class RunLog {
  readonly #story: LogFile;
  readonly #raw: LogFile;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #mask = new LineMask();
  readonly #rawMask = new LineMask();
  #onOutput: (line: string, at: number) => void = () => {};
  /** The instant that is recorded for the lines now added. */
  #linesAt = Number.NEGATIVE_INFINITY;

  /** `owner` is the task, or the session of a reviewer. */
  constructor(dataFolder: string, owner: string, clock: Pick<Clock, 'now'>) {
    this.#story = new LogFile(dataFolder, owner, 'output.log');
    this.#raw = new LogFile(dataFolder, owner, 'raw.log');
    this.#clock = clock;
  }

  /** Passes each line of output on as it is logged: masked. */
  hear(onOutput: (line: string, at: number) => void): void {
    this.#onOutput = onOutput;
  }

  /** Buffers a line of output. True means that the buffer is full and `flush` is due. */
  line(text: string): boolean {
    const { wallMs } = this.#clock.now();
    const shown = this.#mask.line(text);
    this.#onOutput(shown, wallMs);
    return this.#add(shown, wallMs);
  }

  /** Buffers a line of Baton's own, as `line` does. */
  remark(text: string): boolean {
    return this.#add(this.#mask.line(text), this.#clock.now().wallMs);
  }

  #add(shown: string, wallMs: number): boolean {
    if (Math.abs(wallMs - this.#linesAt) >= LINES_TIME_MS) {
      this.#linesAt = wallMs;
      this.entry({ ...EMPTY_ENTRY, kind: 'output', at: wallMs });
    }
    return this.#story.add(shown.replaceAll(ENTRY_MARK, '\ufffd'));
  }

  /** Begins the part of a run. */
  begin({ runId, agent }: Pick<RunHolder, 'runId' | 'agent'>): void {
    this.entry({ ...EMPTY_ENTRY, kind: 'run', id: runId, name: agent, at: this.#clock.now().wallMs });
  }

  /** Buffers an entry, as `line` does. No output of an agent can look like one. */
  entry({ kind, ...fields }: StoryEntry): boolean {
    const set = Object.entries(fields).filter(([, value]) => value !== null && value !== '');
    return this.#story.add(`${ENTRY_MARK}${JSON.stringify(maskValue({ kind, ...Object.fromEntries(set) }))}`);
  }

  /** Buffers a line of the program as it was printed. */
  raw(text: string): void {
    if (this.#raw.add(this.#rawMask.line(text))) this.#raw.flush();
  }

  /** Leaves a sign of life, which `lastSign` finds. */
  sign(): void {
    this.#story.touch(this.#clock.now().wallMs);
  }

  flush(): void {
    this.#story.flush();
    this.#raw.flush();
  }
}

/** A record separator in front of each entry that is not output. */
export const ENTRY_MARK = '\x1e';
/** The time of output is recorded this often. */
const LINES_TIME_MS = 1_000;

export interface LogPart {
  readonly text: string;
  /** The lines of the text, counted from 0, that begin a run: Baton wrote them. */
  readonly headings: readonly number[];
  /** The log as entries of the story. */
  readonly entries: readonly StoryEntry[];
  /** The offset of its first byte. */
  readonly start: number;
  /** The offset to continue from. */
  readonly next: number;
}

/** `after` reads the page that begins at an offset, `before` the page that ends there; without either it is the last page. */
export type LogPlace = { readonly after: number } | { readonly before: number };

/** A page of the story: whole lines, or whole characters of a line longer than a page. */
export function readRunLog(dataFolder: string, owner: string, place: LogPlace): LogPart {
  const { text, ...range } = readPage(logFile(dataFolder, owner, 'output.log'), place);
  return { ...storyOf(text), ...range };
}

/** A page of the lines of the programs, as they printed them. */
export function readRawLog(dataFolder: string, owner: string, place: LogPlace): LogPart {
  return { ...readPage(logFile(dataFolder, owner, 'raw.log'), place), headings: [], entries: [] };
}

function readPage(file: string, place: LogPlace): Pick<LogPart, 'text' | 'start' | 'next'> {
  const size = sizeOf(file);
  if ('after' in place) {
    const { after } = place;
    const left = Math.max(0, size - after);
    const whole = wholeLines(readBytes(file, after, Math.min(left, RUN_LOG_PAGE_BYTES)), left > RUN_LOG_PAGE_BYTES);
    return { text: whole.toString('utf8'), start: after, next: after + whole.length };
  }
  const end = Math.min(size, place.before);
  const from = Math.max(0, end - RUN_LOG_PAGE_BYTES);
  const page = readBytes(file, from, end - from);
  const cut = from === 0 ? 0 : firstWhole(page);
  return { text: page.subarray(cut).toString('utf8'), start: from + cut, next: end };
}

function readBytes(file: string, from: number, bytes: number): Buffer {
  if (bytes <= 0) return Buffer.alloc(0);
  const page = Buffer.alloc(bytes);
  const handle = openSync(file, 'r');
  try {
    return page.subarray(0, readSync(handle, page, 0, bytes, from));
  } finally {
    closeSync(handle);
  }
}

/** The beginning of the first line that the page has whole; in a page of one line, of the first whole character. */
function firstWhole(page: Buffer): number {
  const line = page.indexOf(LINE_FEED) + 1;
  if (line > 0 && line < page.length) return line;
  const character = page.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Math.max(0, character);
}

/** The entries of a page, and the same as plain text. Lines without a mark are output of the time that was recorded last. */
function storyOf(stored: string): Pick<LogPart, 'text' | 'headings' | 'entries'> {
  if (!stored.includes(ENTRY_MARK)) {
    return { text: stored, headings: [], entries: stored === '' ? [] : [outputEntry(stored.replace(/\n$/, ''), null)] };
  }
  const entries: StoryEntry[] = [];
  let lines: string[] = [];
  let linesAt: number | null = null;
  const endLines = () => {
    if (lines.length > 0) entries.push(outputEntry(lines.join('\n'), linesAt));
    lines = [];
  };
  const isWhole = stored.endsWith('\n');
  for (const line of (isWhole ? stored.slice(0, -1) : stored).split('\n')) {
    const entry = line.startsWith(ENTRY_MARK) ? entryIn(line.slice(ENTRY_MARK.length)) : null;
    if (entry === null) {
      lines.push(line.replaceAll(ENTRY_MARK, ''));
      continue;
    }
    endLines();
    linesAt = entry.at;
    if (entry.kind !== 'output') entries.push(entry);
  }
  endLines();
  return { ...textOf(entries, isWhole), entries };
}

function textOf(entries: readonly StoryEntry[], isWhole: boolean): Pick<LogPart, 'text' | 'headings'> {
  const headings: number[] = [];
  const lines: string[] = [];
  for (const entry of entries) {
    if (entry.kind === 'run') headings.push(lines.length);
    for (const line of plainText(entry).split('\n')) lines.push(line);
  }
  return { text: lines.join('\n') + (isWhole && lines.length > 0 ? '\n' : ''), headings };
}

function outputEntry(text: string, at: number | null): StoryEntry {
  return { ...EMPTY_ENTRY, kind: 'output', text, at };
}

/** Earlier versions of Baton wrote `--- run agent`, and nothing else, behind the mark. */
function entryIn(stored: string): StoryEntry | null {
  const [, id, name] = /^--- (\S+) (.*)$/.exec(stored) ?? [];
  if (id !== undefined) return { ...EMPTY_ENTRY, kind: 'run', id, name: name ?? '' };
  try {
    return { ...EMPTY_ENTRY, ...JSON.parse(stored) };
  } catch {
    // Half of an entry, such as after a power cut.
    return null;
  }
}

const LINE_FEED = 10;

function wholeLines(page: Buffer, goesOn: boolean): Buffer {
  const end = goesOn ? page.lastIndexOf(LINE_FEED) + 1 : 0;
  return end > 0 ? page.subarray(0, end) : wholeCharacters(page);
}

/** Without the first bytes of a character that continues on the next page. */
function wholeCharacters(page: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, page.length); back++) {
    const byte = page[page.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return back < lengthOf(byte) ? page.subarray(0, page.length - back) : page;
  }
  return page;
}

function lengthOf(first: number): number {
  if (first >= 0xf0) return 4;
  return first >= 0xe0 ? 3 : 2;
}

export function logFile(dataFolder: string, owner: string, name: LogName): string {
  return join(dataFolder, 'runs', owner, name);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
