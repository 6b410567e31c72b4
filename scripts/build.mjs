// Builds dist/. Options: --types (declarations too), --clean (empty dist first), --if-stale (the launcher's call).
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { projectNode, ROOT, setUp } from './set-up.mjs';

const LOCK = join(ROOT, 'dist.lock');
const LOCK_WAIT_MS_MAX = 60_000;
const LOCK_WITHOUT_PID_MS_MAX = 5000;
const LOCK_POLL_MS = 20;

/** @returns {boolean} whether the lock's owner is gone */
function isLockAbandoned() {
  try {
    process.kill(Number(readFileSync(join(LOCK, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ESRCH') return true;
    // No pid yet: its owner is between two calls, or died there. A lock of some age means the latter.
    const stat = code === 'ENOENT' ? statSync(LOCK, { throwIfNoEntry: false }) : undefined;
    return stat !== undefined && Date.now() - stat.mtimeMs > LOCK_WITHOUT_PID_MS_MAX;
  }
}

/** One build at a time saves work; that two of them would not harm each other is bundle.mjs' part. */
async function takeLock() {
  const until = Date.now() + LOCK_WAIT_MS_MAX;
  for (;;) {
    try {
      mkdirSync(LOCK);
      writeFileSync(join(LOCK, 'pid'), String(process.pid));
      return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      if (isLockAbandoned() || Date.now() > until) rmSync(LOCK, { recursive: true, force: true });
      else await new Promise((resolve) => setTimeout(resolve, LOCK_POLL_MS));
    }
  }
}

/** @param {string[]} options */
async function main(options) {
  const { build, isStale } = await import('./bundle.mjs');
  await takeLock();
  try {
    if (options.includes('--if-stale') && !isStale()) return;
    const notes = await build({ types: options.includes('--types'), clean: options.includes('--clean') });
    if (!options.includes('--if-stale')) for (const note of notes) process.stderr.write(`build: ${note}\n`);
  } finally {
    rmSync(LOCK, { recursive: true, force: true });
  }
}

try {
  const options = process.argv.slice(2);
  if (!options.includes('--if-stale')) setUp();
  const node = projectNode();
  if (node === process.execPath) await main(options);
  else process.exitCode = spawnSync(node, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1;
} catch (error) {
  const why = stripVTControlCharacters(error instanceof Error ? error.message : String(error));
  process.stderr.write(`error: the build failed\n${why}\n`);
  process.exitCode = 2;
}
