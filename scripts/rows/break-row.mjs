// Breaks one row in a copy and looks whether a test that it names goes red: the quick tests first, until one does.
import { longTests } from '../longest-first.mjs';
import { isUnitTest, runTests } from './run-tests.mjs';
import { usesBundle } from './uses-bundle.mjs';

/** @typedef {import('./read-rows.mjs').Row} Row */
/** @typedef {import('./scratch-copy.mjs').ScratchCopy} ScratchCopy */
/** @typedef {import('./run-tests.mjs').FileTests} FileTests */
/** @typedef {{ file: string, name: string }} RedTest */
/** @typedef {{ kind: 'red' | 'green' | 'missing', row: string, why: string, seconds: number, test?: RedTest }} Outcome */

/** @param {string} file */
function costOf(file) {
  return isUnitTest(file) ? -1 : (longTests()[file.split('/').at(-1) ?? ''] ?? 0);
}

/** @param {Row} row @returns {FileTests[]} */
export function testsOf({ holders }) {
  const files = [...new Set(holders.map(({ file }) => file))].sort((a, b) => costOf(a) - costOf(b));
  return files.map((file) => ({ file, names: holders.filter((held) => held.file === file).map(({ name }) => name) }));
}

/**
 * A name that no test has holds nothing, so it ends the search.
 * @param {FileTests} tests @param {ScratchCopy} copy @returns {Promise<{ red?: RedTest, note?: string, isWrong?: boolean }>}
 */
async function lookForRed({ file, names }, copy) {
  if (usesBundle(file)) {
    const { code, output } = await copy.build();
    if (code !== 0) return { note: `its mutation does not build: ${output.trim().split('\n').at(-1)}` };
  }
  const results = await runTests(copy, { file, names });
  const unknown = names.find((name) => !results.has(name));
  if (unknown) return { note: `${file} › ${unknown} did not run`, isWrong: true };
  const name = names.find((each) => results.get(each) === 'failed');
  if (name) return { red: { file, name } };
  const skipped = names.find((each) => results.get(each) === 'skipped');
  return skipped ? { note: `${file} › ${skipped} was skipped` } : {};
}

/** @param {Row} row @param {ScratchCopy} copy @returns {Promise<Outcome>} */
export async function breakRow(row, copy) {
  const startedMs = performance.now();
  const outcome = (/** @type {Outcome['kind']} */ kind, /** @type {string} */ why) => {
    return { kind, row: row.id, why, seconds: (performance.now() - startedMs) / 1000 };
  };
  if (!row.mutation) return outcome('missing', 'no mutation in test/rows');
  const undo = copy.change(row.mutation);
  if (!undo) return outcome('missing', `its mutation does not fit ${row.mutation.file}`);
  const notes = [`stayed green: ${row.mutation.file}`];
  try {
    for (const tests of testsOf(row)) {
      const { red, note, isWrong } = await lookForRed(tests, copy);
      if (red) return { ...outcome('red', `${red.file} › ${red.name}`), test: red };
      if (note) notes.push(note);
      if (isWrong) break;
    }
  } finally {
    undo();
  }
  return outcome('green', notes.join('; '));
}
