// A first run: the demo agent in a throw-away git repository, live, checked by Baton and then by this file.
// Ends with 0 only if the work is there, was done in two runs, and its receipt is valid.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CLONE = realpathSync(join(HERE, '..', '..'));
const IS_WINDOWS = process.platform === 'win32';

/** @param {string} program @param {string[]} args @param {import('node:child_process').SpawnSyncOptions} [options] */
function run(program, args, options = {}) {
  return spawnSync(program, args, { stdio: 'inherit', ...options });
}

/** @param {string[]} args @param {import('node:child_process').SpawnSyncOptions} [options] */
function baton(args, options = {}) {
  if (IS_WINDOWS) return run(process.execPath, [join(CLONE, 'bin', 'baton.js'), ...args], options);
  return run(join(CLONE, 'bin', 'baton'), args, options);
}

/** A repository with one commit, whatever the settings of the person are. @param {string} folder */
function commitAll(folder) {
  const own = ['-c', 'user.name=First Run', '-c', 'user.email=first-run@localhost', '-c', 'commit.gpgsign=false'];
  const quiet = ['-c', 'core.hooksPath=/dev/null', '-c', 'init.defaultBranch=main'];
  for (const args of [
    ['init', '--quiet', '--template='],
    ['add', '.'],
    ['commit', '--quiet', '-m', 'Begin'],
  ]) {
    const { status } = run('git', [...own, ...quiet, '-C', folder, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) return false;
  }
  return true;
}

function makeRepository() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-first-run-')));
  cpSync(join(HERE, 'workspace'), folder, { recursive: true });
  if (!commitAll(folder)) process.stdout.write('git is not here: the work is done all the same, but there is no undo\n');
  return folder;
}

/** @param {string} folder */
function orderFor(folder) {
  const template = readFileSync(join(HERE, 'task.template.json'), 'utf8');
  return template.replace('"WORKSPACE"', () => JSON.stringify(folder));
}

/** Checks the result independently of Baton. @param {string} folder @param {string} runs */
function wrongWith(folder, runs) {
  const answer = join(runs, 'response.json');
  if (!existsSync(answer)) return 'there is no answer of Baton';
  const { timing } = JSON.parse(readFileSync(answer, 'utf8'));
  if (timing?.retries_attempted !== 1) return 'the checkpoint did not fail once and pass then';
  if (run(process.execPath, ['check-greeting.mjs'], { cwd: folder }).status !== 0) return 'greeting.mjs does not work';
  return existsSync(join(folder, 'USAGE.md')) ? null : 'USAGE.md is missing';
}

/** As a shell reads it back. @param {string} word */
function quoted(word) {
  return /^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Commands that work as pasted, where the person stands. @param {string} data @param {string} folder */
function whatNext(data, folder) {
  const from = process.env.INIT_CWD ?? process.cwd();
  const way = relative(from, join(CLONE, 'bin', IS_WINDOWS ? 'baton.cmd' : 'baton'));
  const call = quoted(way.startsWith('..') ? join(CLONE, 'bin', 'baton') : `./${way}`);
  const there = `--data ${quoted(data)}`;
  const words = '"@demo write NOTES.md hi" --agent demo --check "grep hi NOTES.md"';
  return [
    `in the browser    ${call} open ${there}`,
    `what it changed   ${call} diff @ ${there}`,
    `put it all back   ${call} undo @ ${there}`,
    `a task of yours   ${call} run ${words} --yes --workspace ${quoted(folder)} ${there}`,
    `your own agents   ${call} agents`,
  ];
}

const folder = makeRepository();
const data = join(folder, '.baton');
process.stdout.write(`A first run in ${folder}, by an agent without a model that gets it wrong once.\n\n`);
const ran = baton(['run', '-', '--data', data], {
  cwd: folder,
  input: orderFor(folder),
  stdio: ['pipe', 'inherit', 'inherit'],
});
const kept = join(data, 'runs');
const runs = join(kept, (existsSync(kept) && readdirSync(kept)[0]) || 'none');
process.stdout.write('\nThe receipt, verified with nothing but itself:\n');
const receipt = baton(['receipt', 'verify', join(runs, 'receipt.json')]);
const wrong = wrongWith(folder, runs);
if (ran.status !== 0 || receipt.status !== 0 || wrong !== null) {
  process.stderr.write(`error: the first run went wrong: ${wrong ?? 'see above'}\n`);
  process.stderr.write(`try: ${quoted(join(CLONE, 'bin', 'baton'))} doctor --data ${quoted(data)}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`\nWhat now:\n${whatNext(data, folder)
    .map((each) => `  ${each}\n`)
    .join('')}`);
}
