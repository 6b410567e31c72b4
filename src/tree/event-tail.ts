import * as fs from 'node:fs';
import { EVENT_LOG_TAIL_BYTES, NDJSON_LINE_BYTES_MAX } from '../domain/limits.ts';
import { TreeFault } from './tree-fault.ts';

export interface EventTail {
  /** The seq of the last whole record; 0 where there is none. */
  readonly lastSeq: number;
  /** What stood after it and was cut off, as text, or null. */
  readonly cut: string | null;
}

const LINE_FEED = 10;
const CUT_SHOWN_BYTES = 200;

/** Reads the end of an event file and cuts what a crash left torn: nothing is appended after an unread tail. */
export function mendTail(file: string, path: string): EventTail {
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
  /** Right after its line feed. */
  readonly end: number;
}

/** Looks at ever more of the end until a whole record is in sight. */
function lastGoodRecord(descriptor: number, size: number, path: string): GoodRecord {
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
    // Torn, or no record of Baton's: what is looked for.
    return null;
  }
}
