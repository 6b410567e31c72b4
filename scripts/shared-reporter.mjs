// Writes what the tests of a shared process report to descriptor 3, a line of JSON for each event. The writes are
// synchronous: what is written before a crash has arrived.
import { writeSync } from 'node:fs';
import { explainFailure } from './test-report.mjs';

const EVENTS_FD = 3;

/** The test that the process adds after those of each file. */
export const END_OF_FILE = 'end of file';

let file = '';
/** @type {(value?: unknown) => void} */
let ended = () => undefined;

/** @param {string} type @param {object} data */
export function tell(type, data) {
  writeSync(EVENTS_FD, `${JSON.stringify({ type, data: { nesting: 0, ...data, file } })}\n`);
}

/** @param {string} path @returns {Promise<unknown>} fulfilled when the reporter has told every event of the file */
export function beginFile(path) {
  file = path;
  tell('file:begin', {});
  return new Promise((resolve) => {
    ended = resolve;
  });
}

/** @param {unknown} error */
export function tellFailure(error) {
  tell('test:fail', { name: 'the file itself', details: { failure: explainFailure(error) } });
}

/** @param {any} details */
function withoutErrors({ error, ...details } = { error: undefined }) {
  return error === undefined ? details : { ...details, failure: explainFailure(error) };
}

/** @param {AsyncIterable<{ type: string, data: any }>} events */
export default async function* reporter(events) {
  for await (const { type, data } of events) {
    if (data?.name === END_OF_FILE && data.nesting === 0) {
      if (type === 'test:pass' || type === 'test:fail') ended();
    } else if (type === 'test:diagnostic' ? data.file : /^test:(?:start|pass|fail)$/.test(type))
      tell(type, { ...data, details: withoutErrors(data.details) });
  }
  yield '';
}
