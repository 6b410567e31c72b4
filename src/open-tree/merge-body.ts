import { findWorkLog, type WorkLogSection } from '../protocols/aof/work-log.ts';
import { type Clash, diffLines, type Hunk, mergeLines } from './merge-lines.ts';

export type MergedBody =
  | { readonly kind: 'merged'; readonly body: string }
  /** Both sides changed the same lines, or a line of the Work Log was changed. */
  | { readonly kind: 'conflict'; readonly field: 'body' | 'work log' };

export interface Bodies {
  /** What both sides started from; null where nobody knows. */
  readonly base: string | null;
  readonly ledger: string;
  readonly disk: string;
}

/** Merges a person's body with the ledger's, by lines. Of the Work Log nothing goes: it is only appended (D-A13). */
export function mergeBody({ base, ledger, disk }: Bodies): MergedBody {
  if (disk === ledger || disk === base) return { kind: 'merged', body: ledger };
  if (base === null) return withoutBase(ledger, disk);
  const lines = base.split('\n');
  const log = findWorkLog(lines);
  const theirs = allowedHunks(diffLines(lines, likeIts(base, disk).split('\n')), lines, log);
  if (theirs === null) return { kind: 'conflict', field: 'work log' };
  const ours = diffLines(lines, ledger.split('\n'));
  const merged = mergeLines({ base: lines, ours, theirs, settle: (clash) => settle(clash, log) });
  return merged === null ? { kind: 'conflict', field: 'body' } : { kind: 'merged', body: merged.join('\n') };
}

/** An older text of Baton's own has no line that the ledger does not have: nothing in it is new. */
function withoutBase(ledger: string, disk: string): MergedBody {
  const hunks = diffLines(disk.split('\n'), ledger.split('\n'));
  const isOlder = hunks.every(({ from, to }) => from === to);
  return isOlder ? { kind: 'merged', body: ledger } : { kind: 'conflict', field: 'body' };
}

/** An editor that ends every line in its own way has changed none of them. */
function likeIts(base: string, disk: string): string {
  const isAllCrlf = disk.includes('\r\n') && !/[^\r]\n|^\n/.test(disk);
  return isAllCrlf && !base.includes('\r\n') ? disk.replaceAll('\r\n', '\n') : disk;
}

/** Without what was taken out of the Work Log; null where a line of it reads otherwise now. */
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

/** Of a change that reaches into the log only what is outside of it; an empty line stays before its heading. */
function aroundLog({ from, to, lines }: Hunk, base: readonly string[], { heading, end }: WorkLogSection): Hunk[] {
  const last = lines.at(-1) ?? base[from - 1] ?? '';
  const before = from < heading ? [{ from, to: heading, lines: isBlank(last) ? lines : [...lines, ''] }] : [];
  const after = to > end ? [{ from: end, to, lines: before.length > 0 ? [] : lines }] : [];
  return [...before, ...after];
}

/** Entries that both sides appended stand one after the other, the ledger's first; a new log stands after new text. */
function settle({ from, to, ours, theirs }: Clash, log: WorkLogSection | null): readonly string[] | null {
  if (from !== to) return null;
  if (log !== null) return from > log.heading && from <= log.end ? [...ours, ...theirs] : null;
  return findWorkLog(ours) !== null && findWorkLog(theirs) === null ? [...theirs, ...ours] : null;
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}
