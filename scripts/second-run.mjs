// Runs the few files that failed a second time, alone. That changes no total: it tells a person whether a failure is there
// always, or only beside other work (docs/decisions/0001-node-test-runner.md).
import { relative } from 'node:path';

/** @typedef {import('./test-report.mjs').TestResult} TestResult */

/** More failed files than these are no accident of timing. */
const FILES_MAX = 3;

/**
 * @param {TestResult} first
 * @param {(files: string[]) => Promise<TestResult>} runAlone one file at a time
 * @param {{ root: string, write?: (text: string) => void }} options
 * @returns {Promise<string[]>} the files whose tests passed this time, each named as UNSTEADY
 */
export async function nameUnsteady(
  { failedFiles },
  runAlone,
  { root, write = (text) => void process.stdout.write(text) },
) {
  if (failedFiles.length === 0 || failedFiles.length > FILES_MAX) return [];
  write('\nthe failed files again, one at a time:\n');
  const unsteady = [];
  for (const file of failedFiles) {
    const { passed, failed } = await runAlone([file]);
    // A file that ran no test proves nothing.
    if (failed === 0 && passed > 0) unsteady.push(file);
  }
  for (const file of unsteady) write(`UNSTEADY ${relative(root, file)}: failed beside other tests, passed alone\n`);
  return unsteady;
}
