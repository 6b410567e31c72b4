// A reporter: a line of JSON on descriptor 3 for each test, with the names around it.
import { writeSync } from 'node:fs';

const RESULTS_FD = 3;

/** @param {AsyncIterable<{ type: string, data: any }>} events */
export default async function* reporter(events) {
  /** @type {string[]} */
  const around = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') around[data.nesting] = data.name;
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const isSkipped = data.skip !== undefined || data.todo !== undefined;
    const result = type === 'test:fail' ? 'failed' : isSkipped ? 'skipped' : 'passed';
    const path = [...around.slice(0, data.nesting), data.name].join(' › ');
    writeSync(RESULTS_FD, `${JSON.stringify({ path, result })}\n`);
  }
  yield '';
}
