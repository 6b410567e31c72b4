// A node in this process: creates a task, follows its events, completes it by hand, and closes.
// Ends with 0 only if the events arrive in order.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRefusal, openNode } from 'baton-agents';

const folder = mkdtempSync(join(tmpdir(), 'baton-library-'));
const node = await openNode({
  dataFolder: join(folder, 'data'),
  onFatal: (fault) => {
    throw fault;
  },
});

/** A call answers with a value or a refusal. @template Answer @param {Answer} answer @returns {Exclude<Answer, import('baton-agents').Refusal>} */
function accepted(answer) {
  if (isRefusal(answer)) throw new Error(`${answer.code}: ${answer.message} (${answer.hint})`);
  return /** @type {Exclude<Answer, import('baton-agents').Refusal>} */ (answer);
}

const stop = new AbortController();
const seen = [];
try {
  const task = accepted(await node.createTask({ title: 'Add a limit to the upload' }, { key: 'upload-limit' }));
  const events = accepted(await node.follow({ after: 0, task: task.id, type: 'task.*' }, stop.signal));
  for (const to of /** @type {const} */ (['ready', 'in-progress', 'review', 'done'])) {
    accepted(await node.moveTask({ task: task.id, to }));
  }
  for await (const { type, payload } of events) {
    console.log(type, payload.to ?? '');
    seen.push(payload.to ?? type);
    if (payload.to === 'done') stop.abort();
  }
} finally {
  await node.close();
  rmSync(folder, { recursive: true, force: true });
}

const expected = ['task.created', 'ready', 'in-progress', 'task.claimed', 'review', 'done'];
if (seen.join() !== expected.join()) {
  console.error(`expected ${expected.join(', ')}, not ${seen.join(', ')}`);
  process.exitCode = 1;
}
