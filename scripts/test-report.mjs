// Turns the events of node's test runner into what a person reads: a line a file, each failure in full, each skip with
// its reason. A skip without a reason and a file without a test count as failures.
import { dirname, relative, resolve } from 'node:path';
import { inspect } from 'node:util';

/** @typedef {{ type: string, data: any }} TestEvent */
/** @typedef {{ passed: number, failed: number, skipped: number }} Totals */
/** @typedef {Totals & { failedFiles: string[] }} TestResult */
/** @typedef {{ type?: string, text: string }} Failure the type is Node's word for what failed */

/** @param {any} error @returns {Failure} */
export function explainFailure(error) {
  const cause = error?.cause ?? error;
  // An assertion's message holds its difference already; its fields would only say it again.
  const isAssertion = cause?.code === 'ERR_ASSERTION' && typeof cause.stack === 'string';
  const text = isAssertion
    ? cause.stack
    : typeof cause === 'string'
      ? cause
      : inspect(cause, { colors: false, depth: 8 });
  return { type: error?.failureType, text };
}

class Report {
  /** @type {Totals} */
  totals = { passed: 0, failed: 0, skipped: 0 };
  /** @type {string[]} */
  skips = [];
  /** @type {string[]} every failure in full, shown again at the end, where a log that keeps only its tail still has it */
  failures = [];
  /** @type {Map<string, number>} how long each file took, its process included, in milliseconds */
  times = new Map();
  /** @type {Set<string>} */
  failedFiles = new Set();
  /** @type {Map<string, string>} what a file printed, shown only with a failure */
  printed = new Map();
  /** @type {Map<string, string[]>} the names of the tests around the one that is reported, per file */
  around = new Map();

  /** @param {string} root @param {(text: string) => void} write */
  constructor(root, write) {
    this.root = root;
    this.write = write;
  }

  /** @param {string | undefined} file */
  place(file) {
    return file ? relative(this.root, file) : '';
  }

  /** @param {any} data */
  fullName(data) {
    const names = this.around.get(data.file) ?? [];
    return `${this.place(data.file)} › ${[...names.slice(0, data.nesting), data.name].join(' › ')}`;
  }

  /** @param {any} data @param {string} why */
  fail(data, why) {
    this.totals.failed += 1;
    this.failedFiles.add(data.file);
    const failure = `✗ ${this.fullName(data)}\n${why.replace(/^/gm, '    ')}\n`;
    this.failures.push(failure);
    this.write(`\n${failure}`);
    const printed = this.printed.get(data.file);
    if (printed) this.write(`    it printed:\n${printed.trimEnd().replace(/^/gm, '    | ')}\n`);
    this.printed.delete(data.file);
  }

  /** @param {any} data */
  passed(data) {
    if (data.details?.type === 'suite') return;
    const why = data.skip ?? data.todo;
    if (data.nesting === 0 && data.file?.endsWith(data.name)) return this.fail(data, 'holds no test');
    if (why === undefined) this.totals.passed += 1;
    else if (why === true || why === '') return this.fail(data, 'is skipped without a reason: say why, or run it');
    else {
      this.totals.skipped += 1;
      this.skips.push(`${this.fullName(data)}: ${why}`);
    }
    return undefined;
  }

  /** @param {any} data */
  failed(data) {
    const { error, failure = explainFailure(error) } = data.details;
    // A test or suite around failed ones has no fault of its own.
    if (failure.type !== 'subtestsFailed') this.fail(data, failure.text);
  }

  /** @param {any} data @param {Totals} before */
  fileDone(data, before) {
    const isEmpty = Object.entries(this.totals).every(
      ([name, count]) => count === before[/** @type {keyof Totals} */ (name)],
    );
    if (isEmpty) this.fail({ ...data, nesting: 0, name: 'the file itself' }, 'holds no test');
    const { passed, failed, skipped } = this.totals;
    const counts = [`${passed - before.passed} passed`];
    if (failed > before.failed) counts.push(`${failed - before.failed} failed`);
    if (skipped > before.skipped) counts.push(`${skipped - before.skipped} skipped`);
    const mark = failed > before.failed ? '✗' : '·';
    this.write(`${mark} ${this.place(data.file)}: ${counts.join(', ')}, ${Math.round(data.duration_ms)} ms\n`);
    this.took(data.file, data.duration_ms);
  }

  /** @param {string} file @param {number} durationMs */
  took(file, durationMs) {
    const path = this.place(file);
    this.times.set(path, Math.max(this.times.get(path) ?? 0, durationMs));
  }
}

const SLOWEST_FILES = 15;

/** @param {string} name @param {number} durationMs */
function timeLine(name, durationMs) {
  return `${(durationMs / 1000).toFixed(1).padStart(8)} s  ${name}\n`;
}

/** @param {ReadonlyMap<string, number>} times by path @param {(text: string) => void} write */
function writeTimes(times, write) {
  /** @type {Map<string, number>} */
  const folders = new Map();
  for (const [path, durationMs] of times) {
    const folder = dirname(path).split('/').slice(0, 2).join('/');
    folders.set(folder, (folders.get(folder) ?? 0) + durationMs);
  }
  // A file alone has said its time already.
  if (times.size < 2) return;
  const slowestFirst = (/** @type {ReadonlyMap<string, number>} */ map) => [...map].sort(([, a], [, b]) => b - a);
  write('\ntime by folder, summed over files that ran side by side:\n');
  for (const [folder, durationMs] of slowestFirst(folders)) write(timeLine(folder, durationMs));
  write('\nslowest files:\n');
  for (const [path, durationMs] of slowestFirst(times).slice(0, SLOWEST_FILES)) write(timeLine(path, durationMs));
}

/**
 * @param {AsyncIterable<TestEvent>} events
 * @param {string} root
 * @param {(text: string) => void} write
 * @returns {Promise<TestResult>}
 */
export async function report(events, root, write = (text) => void process.stdout.write(text)) {
  const state = new Report(root, write);
  let before = { ...state.totals };
  for await (const { type, data } of events) {
    if (type === 'test:start') {
      const names = (state.around.get(data.file) ?? []).slice(0, data.nesting);
      state.around.set(data.file, [...names, data.name]);
    } else if (type === 'test:complete' && data.name === data.file) state.took(data.file, data.details.duration_ms);
    else if (type === 'test:pass') state.passed(data);
    else if (type === 'test:fail') state.failed(data);
    else if (type === 'test:stdout' || type === 'test:stderr') {
      const file = resolve(root, data.file);
      state.printed.set(file, (state.printed.get(file) ?? '') + data.message);
    } else if (type === 'test:diagnostic' && data.file) write(`  note: ${data.message}\n`);
    else if (type === 'test:summary' && data.file) {
      state.fileDone(data, before);
      before = { ...state.totals };
    }
  }
  writeTimes(state.times, write);
  if (state.skips.length > 0) write('\nskipped:\n');
  for (const skip of state.skips) write(`- ${skip}\n`);
  if (state.failures.length > 0) write('\nfailed:\n');
  for (const failure of state.failures) write(failure);
  return { ...state.totals, failedFiles: [...state.failedFiles] };
}
