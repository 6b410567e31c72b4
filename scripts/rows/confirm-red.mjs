// A test that is red anyway proves nothing: each test that went red has to pass in a copy without a mutation.
import { runTests } from './run-tests.mjs';

/** @typedef {import('./break-row.mjs').Outcome} Outcome */
/** @typedef {import('./scratch-copy.mjs').ScratchCopy} ScratchCopy */

/**
 * The tests of one file share a process, whatever rows name them.
 * @param {Outcome[]} outcomes @returns {{ file: string, names: string[] }[]}
 */
function testsThatWentRed(outcomes) {
  /** @type {Map<string, Set<string>>} */
  const byFile = new Map();
  for (const { test } of outcomes) {
    if (test) byFile.set(test.file, (byFile.get(test.file) ?? new Set()).add(test.name));
  }
  return [...byFile].map(([file, names]) => ({ file, names: [...names] }));
}

/**
 * The rows whose test does not pass without their mutation either.
 * @param {Outcome[]} outcomes @param {ScratchCopy} untouched @param {number} atOnce @returns {Promise<Outcome[]>}
 */
export async function findUnproven(outcomes, untouched, atOnce) {
  const waiting = testsThatWentRed(outcomes);
  const passed = new Set();
  const work = async () => {
    for (let tests = waiting.shift(); tests; tests = waiting.shift()) {
      const results = await runTests(untouched, tests);
      for (const [name, result] of results) if (result === 'passed') passed.add(`${tests.file} › ${name}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return outcomes.flatMap((outcome) => {
    if (outcome.kind !== 'red' || passed.has(outcome.why)) return [];
    return [{ ...outcome, kind: 'green', why: `${outcome.why} does not pass without the mutation either` }];
  });
}
