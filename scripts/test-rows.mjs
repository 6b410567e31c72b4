// npm run test:rows: breaks the sentence of each row of docs/protocols/ in the source, one at a time, by its mutation in
// test/rows/, and demands that a test that the row names goes red.
//   npm run test:rows -- AOP-47 saop   some rows, or all of a protocol
//   npm run test:rows -- --changed     the rows whose source, tests, sentence or mutation this branch has changed
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { projectEnvironment, projectNode, ROOT, setUp } from './set-up.mjs';

const SET_UP_DONE = '--set-up-done';
const PARALLEL = 2;

/** @typedef {import('./rows/read-rows.mjs').Row} Row */
/** @typedef {import('./rows/break-row.mjs').Outcome} Outcome */

/** @param {Row[]} rows @param {string[]} args */
async function chooseRows(rows, args) {
  const names = args.filter((arg) => arg !== '--changed').map((arg) => arg.toUpperCase());
  const isNamed = (/** @type {Row} */ { id }, /** @type {string} */ name) => id === name || id.startsWith(`${name}-`);
  const unknown = names.find((name) => !rows.some((row) => isNamed(row, name)));
  if (unknown) throw new Error(`no row that tests hold is named ${unknown}: name a row (AOP-47) or a protocol (aop)`);
  const named = rows.filter((row) => names.length === 0 || names.some((name) => isNamed(row, name)));
  if (!args.includes('--changed')) return named;
  const { changedRows } = await import('./rows/changed-rows.mjs');
  return changedRows(named);
}

/** @param {Outcome} outcome */
function tell({ kind, row, why, seconds }) {
  const mark = { red: '·', green: '✗', missing: '?' }[kind];
  process.stdout.write(`${mark} ${row.padEnd(12)} ${why}, ${seconds.toFixed(1)} s\n`);
}

/** @param {Row[]} rows @param {string} folder for the copies */
async function breakRows(rows, folder) {
  const { makeCopy } = await import('./rows/scratch-copy.mjs');
  const { breakRow } = await import('./rows/break-row.mjs');
  const { findUnproven } = await import('./rows/confirm-red.mjs');
  const waiting = [...rows];
  /** @type {Outcome[]} */
  const outcomes = [];
  const untouched = await makeCopy(join(folder, '0'));
  const work = async (/** @type {string} */ name) => {
    const copy = await makeCopy(join(folder, name), untouched);
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const outcome = await breakRow(row, copy);
      outcomes.push(outcome);
      tell(outcome);
    }
  };
  const workers = Math.min(PARALLEL, rows.length);
  await Promise.all(Array.from({ length: workers }, (_, index) => work(String(index + 1))));
  const unproven = await findUnproven(outcomes, untouched, workers);
  for (const outcome of unproven) tell(outcome);
  const wrong = new Set(unproven.map(({ row }) => row));
  const count = (/** @type {Outcome['kind']} */ kind) => {
    return outcomes.filter((outcome) => outcome.kind === kind && !wrong.has(outcome.row)).length;
  };
  return { red: count('red'), green: count('green') + wrong.size, missing: count('missing') };
}

/** @param {string[]} args */
async function main(args) {
  const { readRows } = await import('./rows/read-rows.mjs');
  const { endProcesses } = await import('./rows/scratch-copy.mjs');
  const rows = await chooseRows(readRows(), args);
  const build = [join(ROOT, 'scripts', 'build.mjs'), '--if-stale'];
  if (spawnSync(process.execPath, build, { stdio: 'inherit' }).status !== 0) throw new Error('the build failed');
  const folder = mkdtempSync(join(tmpdir(), 'rows-'));
  // Also after a signal: nothing of it stays, and no test goes on.
  process.on('exit', () => {
    endProcesses();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']))
    process.on(signal, () => process.exit(1));
  const { red, green, missing } = await breakRows(rows, folder);
  process.stdout.write(`${red} red, ${green} stayed green, ${missing} missing\n`);
  process.exitCode = green + missing > 0 ? 1 : 0;
}

const args = process.argv.slice(2);
try {
  if (args[0] === SET_UP_DONE) {
    await main(args.slice(1));
  } else {
    setUp();
    const again = [fileURLToPath(import.meta.url), SET_UP_DONE, ...args];
    const child = spawnSync(projectNode(), again, { cwd: ROOT, stdio: 'inherit', env: projectEnvironment() });
    process.exitCode = child.status ?? 1;
  }
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
