import type { PrintedLine } from './trace.ts';

// Lines of output that came together are one record of a trace: the first is its message, the others are stored beside it.

/** The kind of output in the columns and filters that name the types of events. */
export const OUTPUT_KIND = 'SANDBOX_PULSE';

type StoredLine = readonly [text: string, isMasked: 0 | 1, at: number];

/** Null where the first line is the only one. */
export function storeFollowing([, ...following]: readonly PrintedLine[]): string | null {
  if (following.length === 0) return null;
  return JSON.stringify(following.map(({ text, isMasked, at }): StoredLine => [text, isMasked ? 1 : 0, at]));
}

export function readFollowing(stored: string): readonly PrintedLine[] {
  const lines = JSON.parse(stored) as readonly StoredLine[];
  return lines.map(([text, isMasked, at]) => ({ text, isMasked: isMasked === 1, at }));
}

const LAST_GROUP = 2 ** 48;

/** The id of a line that follows the first, whose UUID it counts on from: the same whenever it is read. */
export function followingId(first: string, index: number): string {
  const at = first.lastIndexOf('-') + 1;
  const counted = (Number.parseInt(first.slice(at), 16) + index) % LAST_GROUP;
  return first.slice(0, at) + counted.toString(16).padStart(12, '0');
}
