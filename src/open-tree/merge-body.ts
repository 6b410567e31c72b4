import { findWorkLog, type WorkLogSection } from '../domain/work-log.ts';
import { type Clash, diffLines, type Hunk, mergeLines } from './merge-lines.ts';

export type MergedBody =
  | { readonly kind: 'merged'; readonly body: string }
  /** Both sides changed the same lines, or a line of the Work Log was changed. */
  | { readonly kind: 'conflict'; readonly field: 'body' | 'work log' };

export interface Bodies {
  /** The text that both sides changed; null if it is unknown. */
  readonly base: string | null;
  readonly ledger: string;
  readonly disk: string;
}

/** Merges a person's body with the ledger's by lines. The Work Log can only grow (aof:merge). */
export function mergeBody({ base, ledger, disk }: Bodies): MergedBody {
  if (disk === ledger || disk === base) return { kind: 'merged', body: ledger };
  if (base === null) return withoutBase(ledger, disk);
  const lines = base.split('\n');
  const log = findWorkLog(lines);
  const theirs = allowedHunks(diffLines(lines, withLineEndsOf(base, disk).split('\n')), lines, log);
  if (theirs === null) return { kind: 'conflict', field: 'work log' };
  const ours = diffLines(lines, ledger.split('\n'));
  const merged = mergeLines({ base: lines, ours, theirs, settle: (clash) => settle(clash, log) });
  return merged === null ? { kind: 'conflict', field: 'body' } : { kind: 'merged', body: merged.join('\n') };
}

/** A text without a line that the ledger lacks is an older one of Baton's own. */
function withoutBase(ledger: string, disk: string): MergedBody {
  const hunks = diffLines(disk.split('\n'), ledger.split('\n'));
  const isOlder = hunks.every(({ from, to }) => from === to);
  return isOlder ? { kind: 'merged', body: ledger } : { kind: 'conflict', field: 'body' };
}

/** An editor that saves with other line ends has changed no line. */
function withLineEndsOf(base: string, disk: string): string {
  const isAllCrlf = disk.includes('\r\n') && !/[^\r]\n|^\n/.test(disk);
  return isAllCrlf && !base.includes('\r\n') ? disk.replaceAll('\r\n', '\n') : disk;
}

/** Drops deletions from the Work Log; null if an entry of it was changed. */
function allowedHunks(hunks: readonly Hunk[], base: readonly string[], log: WorkLogSection | null): Hunk[] | null {
  if (log === null) return [...hunks];
  const allowed: Hunk[] = [];
  for (const hunk of hunks) {
    if (hunk.to <= log.heading || hunk.from >= log.end || base.slice(hunk.from, hunk.to).every(isBlank)) {
      allowed.push(hunk);
    } else if (hunk.from >= log.heading && hunk.to <= log.end) {
      if (hunk.lines.length > 0) return null;
    } else {
      allowed.push(...aroundLog(hunk, base, log));
    }
  }
  return allowed;
}

/** The part of a change outside the log; an empty line stays before its heading. */
function aroundLog({ from, to, lines }: Hunk, base: readonly string[], { heading, end }: WorkLogSection): Hunk[] {
  const last = lines.at(-1) ?? base[from - 1] ?? '';
  const before = from < heading ? [{ from, to: heading, lines: isBlank(last) ? lines : [...lines, ''] }] : [];
  const after = to > end ? [{ from: end, to, lines: before.length > 0 ? [] : lines }] : [];
  return [...before, ...after];
}

/** Keeps the entries that both sides appended, the ledger's first; a new log comes after new text. */
function settle({ from, to, ours, theirs }: Clash, log: WorkLogSection | null): readonly string[] | null {
  if (from !== to) return null;
  if (log !== null) return from > log.heading && from <= log.end ? [...ours, ...theirs] : null;
  return findWorkLog(ours) !== null && findWorkLog(theirs) === null ? [...theirs, ...ours] : null;
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}
