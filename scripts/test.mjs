// npm test: set-up, build, format and lint, types, tests; each with its time, and the totals as the last line.
//   npm test -- PATTERN…         the test files whose path contains a pattern, without lint and types
//   npm run faults               the suite that takes long
//   npm run test:agents          every test of the vendors' command lines; npm test has a few of each
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { INSTALL_COMMAND, installAgentClis, pinnedVersions } from './agent-clis.mjs';
import { installNatsServer } from './nats-server.mjs';
import { projectEnvironment, projectNode, ROOT, setUp } from './set-up.mjs';

/** One more than the cores of the smallest machine: most files wait now and then, for a timer or a disk. */
const CONCURRENCY = 3;
const TEST_MS_MAX = 5 * 60 * 1000;
/** Every case with every vendor's program, one after the other. */
const AGENTS_MS_MAX = 30 * 60 * 1000;
const TEST_FOLDERS = ['src', 'test', 'dashboard'];
const LONG_SUITES = ['faults'];
/** For test-clock.mjs, which has built already and runs the tests several times. */
const TESTS_ONLY = '--tests-only';

/** @typedef {{ ok: boolean, note: string }} Outcome */

/** @param {string} folder @returns {string[]} */
function testFilesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.test\.tsx?$/.test(path) && !path.includes('node_modules'))
    .map((path) => join(folder, path));
}

/** @param {string[]} given @returns {{ suite: string | undefined, patterns: string[], isTestsOnly: boolean }} */
function readArguments(given) {
  const args = given.filter((arg) => arg !== TESTS_ONLY);
  const at = args.indexOf('--suite');
  return {
    suite: at < 0 ? undefined : args[at + 1],
    patterns: args.filter((_, place) => at < 0 || (place !== at && place !== at + 1)),
    isTestsOnly: args.length < given.length,
  };
}

/** @param {string | undefined} suite @param {string[]} patterns */
function chooseFiles(suite, patterns) {
  const folders = suite ? [`test/${suite}`] : TEST_FOLDERS;
  const paths = folders
    .flatMap((folder) => testFilesBelow(join(ROOT, folder)))
    .map((path) => relative(ROOT, path).split(sep).join('/'));
  const named = patterns.map((pattern) => pattern.replace(/^\.\//, ''));
  return paths
    .filter((path) => suite || named.length > 0 || !LONG_SUITES.some((long) => path.startsWith(`test/${long}/`)))
    .filter((path) => named.length === 0 || named.some((pattern) => path.includes(pattern)))
    .sort();
}

/** @param {number} startedMs */
function seconds(startedMs) {
  return `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
}

/** @param {string} name @param {() => Outcome | Promise<Outcome>} work */
async function step(name, work) {
  const startedMs = performance.now();
  /** @type {Outcome} */
  let outcome;
  try {
    outcome = await work();
  } catch (error) {
    outcome = { ok: false, note: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  const inline = outcome.note !== '' && !outcome.note.includes('\n') ? ` (${outcome.note})` : '';
  process.stdout.write(`${outcome.ok ? 'ok    ' : 'FAILED'} ${name}, ${seconds(startedMs)}${inline}\n`);
  if (inline === '' && outcome.note !== '') process.stdout.write(`${outcome.note.trimEnd()}\n`);
  return outcome.ok;
}

/** @param {string[]} args a script and its arguments, run by this Node @returns {Promise<Outcome>} */
function runNode(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('close', (code) => resolve({ ok: code === 0, note: code === 0 ? '' : output }));
  });
}

/** @param {{ passed: number, failed: number, skipped: number }} totals */
function finish(totals) {
  process.exitCode = totals.failed > 0 ? 1 : 0;
  process.stdout.write(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
}

/** Without a network there are none, and their tests are skipped. @returns {Promise<Outcome>} */
async function installAgents() {
  try {
    const installed = await installAgentClis(pinnedVersions());
    return { ok: true, note: installed.join(', ') || 'all are in the cache' };
  } catch (error) {
    return { ok: true, note: `${INSTALL_COMMAND} again: ${error instanceof Error ? error.message : error}` };
  }
}

/**
 * @param {string[]} files absolute paths
 * @param {number} timeout of a file, in milliseconds
 * @returns {Promise<import('./test-report.mjs').TestResult>}
 */
async function runFiles(files, timeout, concurrency = CONCURRENCY) {
  if (files.length === 0) return { passed: 0, failed: 0, skipped: 0, failedFiles: [] };
  const { report } = await import('./test-report.mjs');
  return report(testEvents(files, timeout, concurrency), ROOT);
}

/** Tests start hundreds of processes on the same TypeScript: Node strips the types of a file once, and keeps the result. */
const COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'compiled-tests');

/** @param {string[]} files @param {number} timeout @param {number} concurrency */
async function* testEvents(files, timeout, concurrency) {
  const { mayShareProcess } = await import('./may-share-process.mjs');
  const { longestFirst } = await import('./longest-first.mjs');
  const { runShared } = await import('./run-shared.mjs');
  const { run } = await import('node:test');
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  const mayShare = mayShareProcess();
  const shared = files.filter(mayShare);
  const isolated = longestFirst(files.filter((file) => !shared.includes(file)));
  if (shared.length > 0) yield* runShared(shared, { timeoutMs: timeout, processes: concurrency });
  const execArgv = ['--import', join(ROOT, 'scripts', 'end-idle.mjs')];
  if (isolated.length > 0) yield* run({ files: isolated, concurrency, timeout, execArgv });
}

/** Whole, `npm test` builds the declarations and the dashboard too. @param {string | undefined} suite @param {string[]} patterns */
function buildOptions(suite, patterns) {
  if (suite) return [];
  // A part of the tests skips what only the tests of the package need, and builds whatever the source is newer than.
  const isPart = patterns.length > 0 && !patterns.some((pattern) => /package|library/.test(pattern));
  return isPart ? ['--if-stale'] : ['--types'];
}

/** What comes before the tests. @param {string | undefined} suite @param {string[]} patterns */
function stepsBefore(suite, patterns) {
  const modules = join(ROOT, 'node_modules');
  /** @type {Array<[string, () => Promise<Outcome>]>} */
  const steps = [['build', () => runNode([join(ROOT, 'scripts', 'build.mjs'), ...buildOptions(suite, patterns)])]];
  if (!suite && patterns.length === 0) {
    const biome = join(modules, '@biomejs', 'biome', 'bin', 'biome');
    steps.push(['format and lint', () => runNode([biome, 'ci', '--colors=off'])]);
    if (process.env.CI) steps.push(['agents', installAgents]);
    if (process.env.CI) steps.push(['nats-server', async () => ({ ok: true, note: installNatsServer() })]);
    const tsc = join(modules, 'typescript', 'bin', 'tsc');
    steps.push(['types', () => runNode([tsc])]);
    steps.push(['types of the dashboard', () => runNode([tsc, '-p', join(ROOT, 'dashboard')])]);
  }
  return steps;
}

/** Under the project's Node. @param {string[]} args */
async function check(args) {
  const { suite, patterns, isTestsOnly } = readArguments(args);
  const steps = isTestsOnly ? [] : stepsBefore(suite, patterns);
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, work] of steps) totals[(await step(name, work)) ? 'passed' : 'failed'] += 1;
  const files = chooseFiles(suite, patterns);
  const what = suite ? `test/${suite}` : patterns.join(', ');
  await step('tests', async () => {
    if (files.length === 0 && patterns.length > 0) {
      totals.failed += 1;
      return { ok: false, note: `no test file matches ${what}` };
    }
    const paths = files.map((file) => join(ROOT, file));
    if (suite === 'agents') process.env.BATON_TEST_AGENTS = 'all';
    const isWhole = !suite && patterns.length === 0;
    const first = await runFiles(paths, suite === 'agents' ? AGENTS_MS_MAX : TEST_MS_MAX);
    totals.passed += first.passed;
    totals.failed += first.failed;
    totals.skipped += first.skipped;
    if (isWhole) {
      const { nameUnsteady } = await import('./second-run.mjs');
      await nameUnsteady(first, (again) => runFiles(again, TEST_MS_MAX, 1), { root: ROOT });
    }
    return { ok: first.failed === 0, note: `${files.length} files${what ? ` of ${what}` : ''}` };
  });
  finish(totals);
}

const SET_UP_DONE = '--set-up-done';
const args = process.argv.slice(2);
if (args[0] === SET_UP_DONE) {
  await check(args.slice(1));
} else if (await step('set-up', () => ({ ok: true, note: setUp() }))) {
  const again = [join(ROOT, 'scripts', 'test.mjs'), SET_UP_DONE, ...args];
  const child = spawnSync(projectNode(), again, { cwd: ROOT, stdio: 'inherit', env: projectEnvironment() });
  process.exitCode = child.status ?? 1;
} else {
  finish({ passed: 0, failed: 1, skipped: 0 });
}
