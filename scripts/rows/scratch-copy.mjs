// A copy of the repository as it lies on the disk, in which one file at a time is changed, built and tested.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { copyFile, link, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { projectPaths, ROOT } from '../../test/house/source-file.ts';

const FILE_TIME_MS = 50;

/** Nothing stays after the copies are gone: the process groups that still run. @type {Set<number>} */
const running = new Set();

/** @typedef {{ code: number | null, output: string, events: any[] }} Ended */

export function endProcesses() {
  for (const pid of running) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

/**
 * Runs this Node in a process group of its own.
 * @param {string[]} args
 * @param {{ cwd: string, timeoutMs: number }} options
 * @returns {Promise<Ended>} events are the lines of JSON of descriptor 3
 */
export function runNode(args, { cwd, timeoutMs }) {
  // Node sets this for the files that it runs itself, and a process that has it chooses no reporter.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const child = spawn(process.execPath, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const { pid } = child;
  if (pid !== undefined) running.add(pid);
  const texts = ['', '', ''];
  child.stdio.slice(1).forEach((stream, index) => {
    const readable = /** @type {import('node:stream').Readable} */ (stream);
    readable.setEncoding('utf8').on('data', (text) => (texts[index] += text));
  });
  return new Promise((resolve, reject) => {
    const end = () => pid !== undefined && process.kill(-pid, 'SIGKILL');
    const timer = globalThis.setTimeout(end, timeoutMs);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      if (pid !== undefined) running.delete(pid);
      const lines = (texts[2] ?? '').split('\n').filter((line) => line !== '');
      resolve({ code, output: `${texts[0]}${texts[1]}`, events: lines.map((line) => JSON.parse(line)) });
    });
  });
}

/** @param {string} from @param {string} to */
async function copy(from, to) {
  await copyFile(from, to);
  // The build looks at these times.
  const { atime, mtime } = await stat(from);
  await utimes(to, atime, mtime);
}

export class ScratchCopy {
  /** @param {string} root */
  constructor(root) {
    this.root = root;
  }

  /** @param {{ file: string, from: string, to: string }} mutation @returns {(() => void) | null} undoes it; null where it does not fit */
  change({ file, from, to }) {
    const path = join(this.root, file);
    const text = readFileSync(path, 'utf8');
    if (text.split(from).length !== 2) return null;
    const write = (/** @type {string} */ changed) => {
      // Other copies share the file, so it is not written over.
      rmSync(path);
      writeFileSync(path, changed);
    };
    write(text.replace(from, () => to));
    return () => write(text);
  }

  /** The bundle of dist/, where the source is newer. @returns {Promise<Ended>} */
  build() {
    const args = [join(this.root, 'scripts', 'build.mjs'), '--if-stale'];
    return runNode(args, { cwd: this.root, timeoutMs: 120_000 });
  }
}

/**
 * @param {string} root
 * @param {ScratchCopy} [first] a copy whose files this one shares, which takes a tenth of the time
 */
export async function makeCopy(root, first) {
  const take = first ? link : copy;
  for (const folder of new Set(projectPaths().map(dirname))) mkdirSync(join(root, folder), { recursive: true });
  await Promise.all(projectPaths().map((path) => take(join(first?.root ?? ROOT, path), join(root, path))));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  cpSync(join(ROOT, 'dist'), join(root, 'dist'), { recursive: true });
  // The folders of the copy are new, and nothing in them is.
  const now = new Date();
  for (const stamp of ['dist/.built', 'dist/dashboard/.built']) utimesSync(join(root, stamp), now, now);
  // File systems write coarser times than this one: a change at once must not look older.
  await setTimeout(FILE_TIME_MS);
  return new ScratchCopy(root);
}
