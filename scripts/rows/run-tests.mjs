// Runs named tests of one file in a copy of the repository.
import { join } from 'node:path';
import { runNode } from './scratch-copy.mjs';

/** A test that waits for what its mutation has removed would wait for good. */
const UNIT_TEST_MS_MAX = 30_000;
const TEST_MS_MAX = 2 * 60 * 1000;
const FILE_MS_MAX = 5 * 60 * 1000;

/** @typedef {import('./scratch-copy.mjs').ScratchCopy} ScratchCopy */
/** @typedef {{ file: string, names: string[] }} FileTests */
/** @typedef {{ path: string, result: 'passed' | 'failed' | 'skipped' }} TestResult */

/** @param {string} file */
export function isUnitTest(file) {
  return file.startsWith('src/') || file.startsWith('test/life/');
}

/** A name, as the pattern that Node reads. @param {string} name */
function patternOf(name) {
  return name.replace(/[.*+?^$()|[\]\\{}/]/g, '\\$&');
}

/**
 * The result of each name; of several tests that have it, one that failed.
 * @param {ScratchCopy} copy @param {FileTests} tests @returns {Promise<Map<string, TestResult['result']>>}
 */
export async function runTests(copy, { file, names }) {
  const args = [
    '--import',
    join(copy.root, 'scripts', 'end-idle.mjs'),
    `--test-reporter=${join(copy.root, 'scripts', 'rows', 'tell-results.mjs')}`,
    `--test-timeout=${isUnitTest(file) ? UNIT_TEST_MS_MAX : TEST_MS_MAX}`,
    ...names.map((name) => `--test-name-pattern=${patternOf(name)}`),
    join(copy.root, file),
  ];
  const { events } = await runNode(args, { cwd: copy.root, timeoutMs: FILE_MS_MAX });
  const results = new Map();
  for (const { path, result } of /** @type {TestResult[]} */ (events)) {
    for (const name of names) if (path.includes(name) && results.get(name) !== 'failed') results.set(name, result);
  }
  return results;
}
