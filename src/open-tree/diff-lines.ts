import { DIFF_EDITS_MAX } from '../domain/limits.ts';

/** Lines `from` up to, but not with, `to` of the first text stand as `lines` in the second. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/**
 * What leads from one text to another, by Myers' greedy algorithm. Texts that differ in more than a bound are told
 * apart only by their common beginning and end: coarser, never wrong.
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
  const hunks = hunksOf(matchLines(before, after), after);
  return hunks.map(({ from, to, lines }) => ({ from: from + head, to: to + head, lines }));
}

/** For each line of the first text its place in the second, or -1. */
function matchLines(first: readonly string[], second: readonly string[]): Int32Array {
  const matches = new Int32Array(first.length).fill(-1);
  if (first.length === 0 || second.length === 0) return matches;
  const trace = shortestPath(first, second);
  if (trace === null) return matches;
  let [x, y] = [first.length, second.length];
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const reached = trace[edits - 1] as Int32Array;
    const diagonal = x - y;
    const isInsertion = stepsDown(reached, diagonal, edits);
    const from = diagonal + (isInsertion ? 1 : -1);
    const fromX = furthest(reached, from, edits - 1);
    const afterStep = isInsertion ? fromX : fromX + 1;
    while (x > afterStep) matches[--x] = --y;
    x = fromX;
    y = fromX - from;
  }
  while (x > 0) matches[--x] = --y;
  return matches;
}

/** How far each diagonal got with 0, 1, 2… edits; diagonals of one round are two apart. Null beyond the bound. */
function shortestPath(first: readonly string[], second: readonly string[]): Int32Array[] | null {
  const trace: Int32Array[] = [];
  const editsMax = Math.min(first.length + second.length, DIFF_EDITS_MAX);
  for (let edits = 0; edits <= editsMax; edits++) {
    const reached = new Int32Array(edits + 1);
    for (let at = 0; at <= edits; at++) {
      const diagonal = 2 * at - edits;
      const before = trace[edits - 1];
      let x = before ? nextStart(before, diagonal, edits) : 0;
      while (x < first.length && first[x] === second[x - diagonal]) x++;
      reached[at] = x;
      if (x >= first.length && x - diagonal >= second.length) {
        trace.push(reached);
        return trace;
      }
    }
    trace.push(reached);
  }
  return null;
}

function nextStart(before: Int32Array, diagonal: number, edits: number): number {
  return stepsDown(before, diagonal, edits)
    ? furthest(before, diagonal + 1, edits - 1)
    : furthest(before, diagonal - 1, edits - 1) + 1;
}

/** Does the way to a diagonal come by an insertion, or by a deletion? */
function stepsDown(before: Int32Array, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true;
  if (diagonal === edits) return false;
  return furthest(before, diagonal - 1, edits - 1) < furthest(before, diagonal + 1, edits - 1);
}

function furthest(reached: Int32Array, diagonal: number, edits: number): number {
  return reached[(diagonal + edits) / 2] ?? 0;
}

function hunksOf(matches: Int32Array, second: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [from, secondFrom] = [0, 0];
  for (let at = 0; at <= matches.length; at++) {
    const match = at === matches.length ? second.length : (matches[at] as number);
    if (match === -1) continue;
    if (at > from || match > secondFrom) hunks.push({ from, to: at, lines: second.slice(secondFrom, match) });
    from = at + 1;
    secondFrom = match + 1;
  }
  return hunks;
}
