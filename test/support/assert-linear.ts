import assert from 'node:assert/strict';
import { cpuMsOf } from './cpu-time.ts';

const CHARACTERS = 64 * 1_024;
const TIMES = 8;
/** Work that grows with the square of its text takes seconds on the longer one. */
const FREE_MS = 800;
/** Between 8, which is linear, and 64: a busy machine may stretch the one and not the other. */
const GROWTH_MAX = 24;

interface Around {
  readonly before?: string;
  readonly after?: string;
}

/** Fails where the time that a text takes grows faster than its length. The text is a part over and over, between others. */
export function assertLinear(
  work: (text: string) => unknown,
  part: string,
  { before = '', after = '' }: Around = {},
): void {
  const timeOf = (characters: number): number => {
    const text = before + part.repeat(Math.ceil(characters / part.length)) + after;
    return cpuMsOf(() => work(text));
  };
  const short = timeOf(CHARACTERS);
  assert.ok(short < FREE_MS, `${CHARACTERS} characters took ${Math.round(short)} ms`);
  const long = timeOf(CHARACTERS * TIMES);
  const growth = long / short;
  const took = `${TIMES} times the text took ${growth.toFixed(0)} times as long: ${Math.round(long)} ms`;
  assert.ok(long < FREE_MS || growth < GROWTH_MAX, took);
}
