// Runs test files in a few processes that they share, and yields events as `run` of node:test does, those of one file
// together. A file that crashes or hangs its process fails by name, and a new process goes on with the next one.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';

const SCRIPTS = dirname(fileURLToPath(import.meta.url));
const ARGUMENTS = [
  `--test-reporter=${join(SCRIPTS, 'shared-reporter.mjs')}`,
  '--test-reporter-destination=stdout',
  join(SCRIPTS, 'shared-tests.mjs'),
];

/** @typedef {{ type: string, data: any }} TestEvent */
/** @typedef {(event: TestEvent) => void} Emit */

/** @param {string} file @param {string} text @returns {TestEvent} */
function failure(file, text) {
  return { type: 'test:fail', data: { file, nesting: 0, name: 'the file itself', details: { failure: { text } } } };
}

class SharedProcess {
  /** @type {TestEvent[]} those of the file that is running */
  events = [];
  finished = 0;
  begunMs = 0;
  /** @type {NodeJS.Timeout | undefined} */
  timer;
  isLate = false;

  /** @param {string[]} files @param {{ timeoutMs: number, emit: Emit }} options */
  constructor(files, { timeoutMs, emit }) {
    this.files = files;
    this.timeoutMs = timeoutMs;
    this.emit = emit;
    // Node sets this for the files that it runs itself, and a process that has it chooses no reporter.
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
    this.child = spawn(process.execPath, [...ARGUMENTS, ...files], { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  }

  get file() {
    return this.files[this.finished] ?? '';
  }

  begin() {
    clearTimeout(this.timer);
    this.begunMs = performance.now();
    this.timer = setTimeout(() => {
      this.isLate = true;
      this.child.kill('SIGKILL');
    }, this.timeoutMs);
  }

  /** @param {TestEvent} event */
  take(event) {
    if (event.type === 'file:begin') return this.begin();
    this.events.push(event);
    if (event.type !== 'test:summary') return undefined;
    for (const each of this.events) this.emit(each);
    this.events = [];
    this.finished += 1;
    return undefined;
  }

  /** @param {string} how */
  breakOff(how) {
    const { file } = this;
    this.take(failure(file, this.isLate ? `did not end within ${this.timeoutMs / 1000} s` : how));
    this.take({ type: 'test:summary', data: { file, duration_ms: performance.now() - this.begunMs } });
  }

  /** @returns {Promise<number>} how many of the files are done with, the one that broke the process included */
  async run() {
    this.begin();
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (message) => {
        this.events.push({ type: 'test:stdout', data: { file: this.file, message } });
      });
    const closed = new Promise((resolve) => this.child.on('close', (code, signal) => resolve(signal ?? code)));
    const pipe = /** @type {import('node:stream').Readable} */ (this.child.stdio[3]);
    for await (const line of createInterface({ input: pipe })) this.take(JSON.parse(line));
    const how = await closed;
    clearTimeout(this.timer);
    if (this.finished < this.files.length) this.breakOff(`ended its process (${how}) before its tests were over`);
    return this.finished;
  }
}

/** @param {string[]} files @param {{ timeoutMs: number, emit: Emit }} options */
async function runInTurn(files, options) {
  for (let left = files; left.length > 0; ) left = left.slice(await new SharedProcess(left, options).run());
}

/**
 * @param {string[]} files absolute paths
 * @param {{ timeoutMs: number, processes: number }} options the time is that of a file
 * @returns {AsyncIterable<TestEvent>}
 */
export function runShared(files, { timeoutMs, processes }) {
  const events = new PassThrough({ objectMode: true });
  const emit = (/** @type {TestEvent} */ event) => void events.write(event);
  const shares = Array.from({ length: processes }, (_, share) =>
    files.filter((_, place) => place % processes === share),
  );
  Promise.all(shares.map((share) => runInTurn(share, { timeoutMs, emit }))).then(
    () => events.end(),
    (error) => events.destroy(error),
  );
  return events;
}
