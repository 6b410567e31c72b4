import { diffIndices } from 'node-diff3';
import { DIFF_STEPS_MAX } from '../domain/limits.ts';
import { findWorkLog, type WorkLogSection } from '../domain/task/work-log.ts';

type MergedBody =
  | { readonly kind: 'merged'; readonly body: string }
  /** Both sides changed the same lines, or a line of the Work Log was changed. */
  | { readonly kind: 'conflict'; readonly field: 'body' | 'work log' };

interface Bodies {
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

/** If the ledger has every line of the text, the text is an older version that Baton wrote. */
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

/** Lines `from` up to, but not including, `to` of the first text read `lines` in the second. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/**
 * The hunks that turn the first text into the second. If comparing what lies between their common beginning and end
 * would take too long, it is one hunk: coarser, never wrong.
 */
export function diffLines(first: readonly string[], second: readonly string[]): Hunk[] {
  const shorter = Math.min(first.length, second.length);
  let head = 0;
  while (head < shorter && first[head] === second[head]) head++;
  let tail = 0;
  while (tail < shorter - head && first.at(-1 - tail) === second.at(-1 - tail)) tail++;
  const before = first.slice(head, first.length - tail);
  const after = second.slice(head, second.length - tail);
  if (before.length === 0 && after.length === 0) return [];
  // node-diff3 uses lines as keys of a plain object, where `constructor` and `__proto__` are taken: it gets numbers.
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]) => lines.map((line) => numberOf(line, numbers));
  const [numberedBefore, numberedAfter] = [numbered(before), numbered(after)];
  if (stepsOf(numberedBefore, numberedAfter) > DIFF_STEPS_MAX) {
    return [{ from: head, to: first.length - tail, lines: after }];
  }
  return diffIndices(numberedBefore, numberedAfter).map(({ buffer1: [at, length], buffer2: [start, count] }) => ({
    from: head + at,
    to: head + at + length,
    lines: after.slice(start, start + count),
  }));
}

function numberOf(line: string, numbers: Map<string, number>): number {
  const number = numbers.get(line) ?? numbers.size;
  numbers.set(line, number);
  return number;
}

/** The most steps that node-diff3 takes: for each line and each match of it, one for each line of the common text. */
function stepsOf(first: readonly number[], second: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const line of second) counts.set(line, (counts.get(line) ?? 0) + 1);
  let matches = 0;
  for (const line of first) matches += counts.get(line) ?? 0;
  return (first.length + matches) * Math.min(first.length, second.length);
}

/** Two different changes of the same lines. */
interface Clash {
  /** The lines of the common text, from `from` up to, but not including, `to`. */
  readonly from: number;
  readonly to: number;
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

interface LineMerge {
  /** The text both sides started from. */
  readonly base: readonly string[];
  readonly ours: readonly Hunk[];
  readonly theirs: readonly Hunk[];
  /** The lines that replace a clash; null if it cannot be resolved. */
  settle(clash: Clash): readonly string[] | null;
}

/**
 * Three-way merge. Two changes clash if they share a line of the common text or insert at the same position. Changes of
 * neighbouring lines do not clash, which is why this is not node-diff3's own merge. Null if a clash is not resolved.
 */
export function mergeLines({ base, ours, theirs, settle }: LineMerge): string[] | null {
  const merged: string[] = [];
  let at = 0;
  for (const group of groupsOf(ours, theirs)) {
    const lines = linesOf(group, base, settle);
    if (lines === null) return null;
    append(merged, base.slice(at, group.from));
    append(merged, lines);
    at = group.to;
  }
  append(merged, base.slice(at));
  return merged;
}

interface Group {
  readonly from: number;
  readonly to: number;
  readonly ours: readonly Hunk[];
  readonly theirs: readonly Hunk[];
}

/** Overlapping changes of both sides, in the order of the text. */
function groupsOf(ours: readonly Hunk[], theirs: readonly Hunk[]): Group[] {
  const groups: Group[] = [];
  const left = { ours: [...ours], theirs: [...theirs] };
  while (left.ours.length > 0 || left.theirs.length > 0) {
    const group: { ours: Hunk[]; theirs: Hunk[] } = { ours: [], theirs: [] };
    const first = isFirst(left.ours[0], left.theirs[0]) ? 'ours' : 'theirs';
    group[first].push(left[first].shift() as Hunk);
    while (takeNext(left.ours, group.ours, group.theirs) || takeNext(left.theirs, group.theirs, group.ours)) {
      // Each hunk that joins may touch one more of the other side.
    }
    const all = [...group.ours, ...group.theirs];
    groups.push({
      ...group,
      from: Math.min(...all.map(({ from }) => from)),
      to: Math.max(...all.map(({ to }) => to)),
    });
  }
  return groups;
}

/** An insertion comes before a change that starts at the same line. */
function isFirst(ours: Hunk | undefined, theirs: Hunk | undefined): boolean {
  if (!ours || !theirs) return ours !== undefined;
  return ours.from === theirs.from ? ours.to <= theirs.to : ours.from < theirs.from;
}

function takeNext(left: Hunk[], own: Hunk[], others: readonly Hunk[]): boolean {
  const [next] = left;
  if (!next || !others.some((other) => clashes(next, other))) return false;
  own.push(next);
  left.shift();
  return true;
}

function clashes(one: Hunk, other: Hunk): boolean {
  if (one.from === one.to && other.from === other.to) return one.from === other.from;
  return one.from < other.to && other.from < one.to;
}

function linesOf(group: Group, base: readonly string[], settle: LineMerge['settle']): readonly string[] | null {
  const ours = applied(group, group.ours, base);
  const theirs = applied(group, group.theirs, base);
  if (group.theirs.length === 0) return ours;
  if (group.ours.length === 0) return theirs;
  const isSame = ours.length === theirs.length && ours.every((line, at) => line === theirs[at]);
  return isSame ? ours : settle({ from: group.from, to: group.to, ours, theirs });
}

function applied({ from, to }: Group, hunks: readonly Hunk[], base: readonly string[]): string[] {
  const lines: string[] = [];
  let at = from;
  for (const hunk of hunks) {
    append(lines, base.slice(at, hunk.from));
    append(lines, hunk.lines);
    at = hunk.to;
  }
  append(lines, base.slice(at, to));
  return lines;
}

/** One by one: a text may have more lines than a call takes arguments. */
function append(to: string[], lines: readonly string[]): void {
  for (const line of lines) to.push(line);
}
