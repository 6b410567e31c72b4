import type { Hunk } from './diff-lines.ts';

/** Two changes of the same lines that are not the same. */
export interface Clash {
  /** Of the common text: lines `from` up to, but not with, `to`. */
  readonly from: number;
  readonly to: number;
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

export interface LineMerge {
  /** The text both sides started from. */
  readonly base: readonly string[];
  readonly ours: readonly Hunk[];
  readonly theirs: readonly Hunk[];
  /** What stands in the place of a clash; null where nobody can say. */
  settle(clash: Clash): readonly string[] | null;
}

/**
 * Three-way merge. Changes that share a line of the common text, or put lines at the same place, clash; changes that
 * only touch do not. Null where a clash could not be settled.
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

/** Changes of both sides that hang together, in the order of the text. */
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
