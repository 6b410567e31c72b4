// Breaks one row in a copy and looks whether a test that it names goes red: the quick tests first, until one does.
import { join } from 'node:path';
import { longTests } from '../longest-first.mjs';
import { runNode } from './scratch-copy.mjs';

/** A test that waits for what its mutation has removed would wait for good. */
const UNIT_TEST_MS_MAX = 30_000;
const TEST_MS_MAX = 2 * 60 * 1000;
const FILE_MS_MAX = 5 * 60 * 1000;

/** @typedef {import('./read-rows.mjs').Row} Row */
/** @typedef {import('./scratch-copy.mjs').ScratchCopy} ScratchCopy */
/** @typedef {{ kind: 'red' | 'green' | 'missing', row: string, why: string, startedMs: number }} Outcome */
/** @typedef {{ file: string, names: string[] }} FileTests */
/** @typedef {{ path: string, result: 'passed' | 'failed' | 'skipped' }} TestResult */

/** Tests that run the source in their own process, and not the bundle. @param {string} file */
function isUnitTest(file) {
  return file.startsWith('src/') || file.startsWith('test/life/');
}

/** @param {string} file */
function costOf(file) {
  return isUnitTest(file) ? -1 : (longTests()[file.split('/').at(-1) ?? ''] ?? 0);
}

/** @param {Row} row @returns {FileTests[]} */
export function testsOf({ holders }) {
  const files = [...new Set(holders.map(({ file }) => file))].sort((a, b) => costOf(a) - costOf(b));
  return files.map((file) => ({ file, names: holders.filter((held) => held.file === file).map(({ name }) => name) }));
}

/** A name, as the pattern that Node reads. @param {string} name */
function patternOf(name) {
  return name.replace(/[.*+?^$()|[\]\\{}/]/g, '\\$&');
}

/** @param {ScratchCopy} copy @param {FileTests} tests @returns {Promise<Map<string, TestResult['result']>>} by name */
async function runTests(copy, { file, names }) {
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

/** What passed without the mutation, by copy, file and name: a test that is red anyway proves nothing. @type {Map<string, Promise<boolean>>} */
const passedBefore = new Map();

/** @param {ScratchCopy} untouched @param {string} file @param {string} name */
function passesUntouched(untouched, file, name) {
  const key = `${file} › ${name}`;
  const known = passedBefore.get(key);
  if (known) return known;
  const run = runTests(untouched, { file, names: [name] }).then((results) => results.get(name) === 'passed');
  passedBefore.set(key, run);
  return run;
}

/** @param {FileTests} tests @param {ScratchCopy} copy @param {ScratchCopy} untouched @returns {Promise<{ red?: string, note?: string }>} */
async function lookForRed({ file, names }, copy, untouched) {
  if (!isUnitTest(file)) {
    const { code, output } = await copy.build();
    if (code !== 0) return { note: `its mutation does not build: ${output.trim().split('\n').at(-1)}` };
  }
  const results = await runTests(copy, { file, names });
  if (results.size === 0) return { note: `${file} ran none of its tests` };
  for (const name of names) {
    if (results.get(name) !== 'failed') continue;
    if (await passesUntouched(untouched, file, name)) return { red: `${file} › ${name}` };
    return { note: `${file} › ${name} does not pass without the mutation either` };
  }
  const skipped = names.find((name) => results.get(name) === 'skipped');
  return skipped ? { note: `${file} › ${skipped} was skipped` } : {};
}

/** @param {Row} row @param {ScratchCopy} copy @param {ScratchCopy} untouched @returns {Promise<Outcome>} */
export async function breakRow(row, copy, untouched) {
  const startedMs = performance.now();
  const outcome = (/** @type {Outcome['kind']} */ kind, /** @type {string} */ why) => ({
    ...{ kind, row: row.id, why, startedMs },
  });
  if (!row.mutation) return outcome('missing', 'no mutation in test/rows');
  const undo = copy.change(row.mutation);
  const notes = [];
  try {
    for (const tests of testsOf(row)) {
      const { red, note } = await lookForRed(tests, copy, untouched);
      if (red) return outcome('red', red);
      if (note) notes.push(note);
    }
  } finally {
    undo();
  }
  return outcome('green', [`stayed green: ${row.mutation.file}`, ...notes].join('; '));
}
