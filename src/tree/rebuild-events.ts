import * as fs from 'node:fs';
import { EVENTS_PER_PAGE_MAX, KIB } from '../domain/limits.ts';
import { selectEvents } from '../ledger/statements/events.ts';
import type { Reader } from '../ledger/tx.ts';
import { byDay, eventLine } from './event-log.ts';
import type { TreeParts } from './tree-parts.ts';
import { dayPath, EVENTS_FOLDER } from './tree-paths.ts';

const CHUNK_BYTES = 64 * KIB;

/** Every day's file anew from the ledger. Gives the number of events. */
export async function rebuildEvents({ files, log, slice }: TreeParts, read: Reader): Promise<number> {
  files.lookAgain();
  files.ensureFolder(EVENTS_FOLDER);
  const drafts = new Map<string, string>();
  let seq = 0;
  for (;;) {
    const page = selectEvents(read, seq, EVENTS_PER_PAGE_MAX);
    const last = page.at(-1);
    if (!last) break;
    seq = last.seq;
    if (slice.isOver) await slice.rest();
    for (const [day, events] of byDay(page)) {
      const draft = drafts.get(day) ?? files.temporaryIn(EVENTS_FOLDER);
      fs.appendFileSync(draft, events.map(eventLine).join(''), { mode: 0o600, flag: drafts.has(day) ? 'a' : 'ax' });
      drafts.set(day, draft);
    }
  }
  for (const [day, draft] of drafts) {
    const path = dayPath(day);
    // What Baton wrote is the beginning of what it writes now; anything else was changed by somebody.
    if (!isBeginningOf(files.at(path), draft)) files.keepAside(path, path);
    fs.renameSync(draft, files.at(path));
  }
  log.forget();
  return seq;
}

function isBeginningOf(file: string, whole: string): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stat) return true;
  if (!stat.isFile() || stat.size > fs.statSync(whole).size) return false;
  const [first, second] = [fs.openSync(file, 'r'), fs.openSync(whole, 'r')];
  try {
    const [a, b] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)];
    for (let bytes = fs.readSync(first, a); bytes > 0; bytes = fs.readSync(first, a)) {
      fs.readSync(second, b, 0, bytes, null);
      if (a.compare(b, 0, bytes, 0, bytes) !== 0) return false;
    }
    return true;
  } finally {
    fs.closeSync(first);
    fs.closeSync(second);
  }
}
