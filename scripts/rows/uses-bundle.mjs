// Says which test files run the bundle: the others read the source, and need no build of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readReach } from '../may-share-process.mjs';
import { ROOT } from '../set-up.mjs';

/** All of the command line goes through this module. */
const RUNS_IT = join('test', 'support', 'run-baton.ts');
/** A test file that reads the bundle itself. */
const READS_IT = /\bdist\b/;

/** @type {Map<string, string[]>} */
const imports = new Map();

/** @param {string} path */
function importsOf(path) {
  const known = imports.get(path) ?? readReach(path).imports;
  imports.set(path, known);
  return known;
}

/** @param {string} file relative to the repository */
export function usesBundle(file) {
  const path = join(ROOT, file);
  if (READS_IT.test(readFileSync(path, 'utf8'))) return true;
  const reached = new Set([path]);
  for (const each of reached) {
    if (each.endsWith(RUNS_IT)) return true;
    for (const imported of importsOf(each)) reached.add(imported);
  }
  return false;
}
