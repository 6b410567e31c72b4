// Orders test files so that the long ones start first: a long file that started last would run alone on a machine of
// several cores. A file that is not listed takes less time than those that are, so its place does not matter.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIST = join(dirname(fileURLToPath(import.meta.url)), 'long-tests.json');

/** Seconds by the name of a file without its folder, so that a moved file keeps its place. @returns {Record<string, number>} */
export function longTests() {
  return JSON.parse(readFileSync(LIST, 'utf8'));
}

/** @param {readonly string[]} files @returns {string[]} */
export function longestFirst(files, known = longTests()) {
  const seconds = (/** @type {string} */ file) => known[basename(file)] ?? 0;
  return [...files].sort((a, b) => seconds(b) - seconds(a) || (a < b ? -1 : 1));
}
