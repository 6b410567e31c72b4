import { answerOfCall } from '../answer-of-call.ts';
import { callOptions, folderFlagOf, taskWords } from '../call-parts.ts';
import { nodeCommand } from '../node/node-command.ts';
import { taskIsNow } from './task-page.ts';

export const taskRetryCommand = nodeCommand({
  usage: 'baton task retry TASK [--json]',
  about: [
    'Makes a task ready again that is blocked, in deadletter, or in review with its work undone or discarded. A task that is',
    'done stays so: if its work was undone, a new task does it again.',
  ].join(' '),
  examples: ['baton task retry 57', 'baton task retry @'],
  flags: {},
  plan(call) {
    const task = taskWords(call, 'task retry');
    const options = callOptions(call);
    return async (client) =>
      answerOfCall(await client.retryTask({ task }, options), {
        say: taskIsNow,
        touched: ({ id }) => [id],
        next: ({ id, agent }) =>
          agent === null ? null : `next: baton run ${id}${folderFlagOf(call)}  run it now, if no node is running`,
      });
  },
});
