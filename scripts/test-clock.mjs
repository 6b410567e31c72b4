// npm run test:clock: runs the tests with the wall clock elsewhere, case by case.
//   npm run test:clock -- CASE… -- PATTERN…   some cases, and the test files whose path contains a pattern
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectEnvironment, projectNode, ROOT, setUp } from './set-up.mjs';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** @typedef {{ passed: number, failed: number, skipped: number }} Totals */
/** @typedef {{ aheadMs(): number, zone?: string }} Case */

/** Milliseconds until the next instant that a year has. @param {(year: number) => number} instantOf NaN where a year has none */
function until(instantOf) {
  const nowMs = Date.now();
  for (let year = new Date().getUTCFullYear(); ; year++) if (instantOf(year) > nowMs) return instantOf(year) - nowMs;
}

/** @param {number} year */
function leapDay(year) {
  const noon = new Date(Date.UTC(year, 1, 29, 12));
  return noon.getUTCDate() === 29 ? noon.getTime() : Number.NaN;
}

/** Half an hour before clocks in Europe go forward: 01:00 UTC of the last Sunday in March. @param {number} year */
function beforeSummerTime(year) {
  const last = new Date(Date.UTC(year, 2, 31, 0, 30));
  return last.getTime() - last.getUTCDay() * DAY_MS;
}

/** @type {Record<string, Case>} */
const CASES = {
  hour: { aheadMs: () => HOUR_MS },
  day: { aheadMs: () => DAY_MS },
  '40-days': { aheadMs: () => 40 * DAY_MS },
  'leap-day': { aheadMs: () => until(leapDay) },
  'summer-time': { aheadMs: () => until(beforeSummerTime), zone: 'Europe/Berlin' },
};

/** @param {Case} shifted @returns {NodeJS.ProcessEnv} */
function environmentOf({ aheadMs, zone }) {
  const shim = `${pathToFileURL(join(ROOT, 'scripts', 'shifted-clock.mjs')).href}?ms=${aheadMs()}`;
  const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${shim}`.trim();
  return { ...projectEnvironment(), NODE_OPTIONS, ...(zone && { TZ: zone }) };
}

/** @param {Case} shifted @param {string[]} patterns @returns {Promise<Totals>} */
function runCase(shifted, patterns) {
  const args = [join(ROOT, 'scripts', 'test.mjs'), '--set-up-done', '--tests-only', ...patterns];
  const env = environmentOf(shifted);
  const child = spawn(projectNode(), args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], env });
  let tail = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    process.stdout.write(text);
    tail = (tail + text).slice(-200);
  });
  return new Promise((resolve) => {
    child.on('close', () => {
      const [passed, failed, skipped] = (/(\d+) passed, (\d+) failed, (\d+) skipped\n$/.exec(tail) ?? [])
        .slice(1)
        .map(Number);
      // Without its last line the run did not end by itself.
      resolve({ passed: passed ?? 0, failed: failed ?? 1, skipped: skipped ?? 0 });
    });
  });
}

/** @param {Totals} totals */
function totalsText({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** @param {string[]} args @returns {{ names: string[], patterns: string[] }} */
function readArguments(args) {
  const at = args.indexOf('--');
  const named = at < 0 ? args : args.slice(0, at);
  const unknown = named.filter((name) => !CASES[name]);
  if (unknown.length > 0)
    throw new Error(`no case ${unknown.join(', ')}; the cases are ${Object.keys(CASES).join(', ')}`);
  return { names: named.length > 0 ? named : Object.keys(CASES), patterns: at < 0 ? [] : args.slice(at + 1) };
}

try {
  const { names, patterns } = readArguments(process.argv.slice(2));
  setUp();
  const build = [join(ROOT, 'scripts', 'build.mjs'), '--types'];
  if (spawnSync(projectNode(), build, { cwd: ROOT, stdio: 'inherit' }).status !== 0)
    throw new Error('the build failed');
  /** @type {Array<[string, Totals]>} */
  const results = [];
  for (const name of names) {
    const shifted = /** @type {Case} */ (CASES[name]);
    const at = new Date(Date.now() + shifted.aheadMs()).toISOString();
    process.stdout.write(`\n${name}: ${at}${shifted.zone ? `, ${shifted.zone}` : ''}\n`);
    results.push([name, await runCase(shifted, patterns)]);
  }
  process.stdout.write('\n');
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, totals] of results) {
    process.stdout.write(`${totals.failed > 0 ? '✗' : '·'} ${name.padEnd(12)} ${totalsText(totals)}\n`);
    sum.passed += totals.passed;
    sum.failed += totals.failed;
    sum.skipped += totals.skipped;
  }
  process.stdout.write(`${totalsText(sum)}\n`);
  process.exitCode = sum.failed > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
