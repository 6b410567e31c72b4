import { appendFileSync, closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunHolder } from '../../domain/channel.ts';
import { RUN_LOG_BYTES_MAX, RUN_LOG_PAGE_BYTES } from '../../domain/limits.ts';
import type { TaskName } from '../../domain/task.ts';

/**
 * The output of all agents of a task, in one file for all its runs, with secrets masked. It is for people; no decision
 * depends on it, so it is not synced.
 */
export class RunLog {
  readonly #file: string;
  #pending: string[] = [];
  #pendingBytes = 0;
  #bytes: number;

  constructor(dataFolder: string, taskId: TaskName) {
    this.#file = runLogFile(dataFolder, taskId);
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    this.#bytes = sizeOf(this.#file);
  }

  /** Buffers a line. True means that the buffer is full and `flush` is due. */
  line(text: string): boolean {
    return this.#add(text.replaceAll(HEADING_MARK, '\ufffd'));
  }

  /** Begins the part of a run. No output of an agent can look like its heading. */
  begin({ runId, agent }: Pick<RunHolder, 'runId' | 'agent'>): void {
    this.#add(`${HEADING_MARK}--- ${runId} ${agent}`);
  }

  #add(text: string): boolean {
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

/** A record separator in front of each line that begins a run. */
const HEADING_MARK = '\x1e';

export interface LogPart {
  readonly text: string;
  /** The lines of the text, counted from 0, that begin a run: Baton wrote them. */
  readonly headings: readonly number[];
  /** The offset to continue from. */
  readonly next: number;
}

/** A page of the log from an offset on: whole lines, or whole characters of a line longer than a page. */
export function readRunLog(dataFolder: string, taskId: TaskName, after: number): LogPart {
  const file = runLogFile(dataFolder, taskId);
  const left = Math.max(0, sizeOf(file) - after);
  const bytes = Math.min(left, RUN_LOG_PAGE_BYTES);
  if (bytes === 0) return { text: '', headings: [], next: after };
  const page = Buffer.alloc(bytes);
  const handle = openSync(file, 'r');
  try {
    const read = readSync(handle, page, 0, bytes, after);
    const whole = wholeLines(page.subarray(0, read), left > bytes);
    return { ...withoutMarks(whole.toString('utf8')), next: after + whole.length };
  } finally {
    closeSync(handle);
  }
}

function withoutMarks(stored: string): Omit<LogPart, 'next'> {
  if (!stored.includes(HEADING_MARK)) return { text: stored, headings: [] };
  const lines = stored.split('\n');
  const headings = lines.flatMap((line, at) => (line.startsWith(HEADING_MARK) ? [at] : []));
  return { text: stored.replaceAll(HEADING_MARK, ''), headings };
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

function runLogFile(dataFolder: string, taskId: TaskName): string {
  return join(dataFolder, 'runs', taskId, 'output.log');
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
