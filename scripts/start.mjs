// npm start: set-up, build, then the main job. Until the first run exists that is `baton check` over examples/.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { projectEnvironment, projectNode, ROOT, setUp } from './set-up.mjs';

const MESSAGE_FILE = /\.(json|jsonl|ndjson|md|txt)$/;

/** @param {string[]} args */
function run(args) {
  return spawnSync(projectNode(), args, { cwd: ROOT, stdio: 'inherit', env: projectEnvironment() }).status ?? 1;
}

/** @param {string} launcher @param {string[]} args */
function launch(launcher, args) {
  if (launcher.endsWith('.js')) return run([launcher, ...args]);
  return spawnSync(launcher, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}

function exampleFiles() {
  const folder = join(ROOT, 'examples');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => MESSAGE_FILE.test(path) && !path.endsWith('README.md'))
    .map((path) => join('examples', path).split(sep).join('/'))
    .sort();
}

try {
  process.stdout.write(`set-up: ${setUp()}\n`);
  const built = run([join(ROOT, 'scripts', 'build.mjs')]);
  const files = exampleFiles();
  if (built !== 0) process.exitCode = built;
  else if (files.length === 0) process.stdout.write('examples/ holds no message yet: nothing to check\n');
  else {
    process.stdout.write(`baton check ${files.join(' ')}\n`);
    const launcher = process.platform === 'win32' ? 'baton.js' : 'baton';
    process.exitCode = launch(join(ROOT, 'bin', launcher), ['check', ...files]);
  }
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : error}\ntry: npm ci --ignore-scripts\n`);
  process.exitCode = 2;
}
