import { answerOf } from '../../answers.ts';
import { callOptions, taskWords } from '../../call-parts.ts';
import { nodeCommand } from '../../node/node-command.ts';
import { taskIsNow } from '../../output/task-text.ts';

export const retryCommand = nodeCommand({
  usage: 'baton task retry TASK [--json]',
  about: 'Makes a task that is blocked or in deadletter ready again.',
  examples: ['baton task retry 57', 'baton task retry @'],
  flags: {},
  plan(call) {
    const task = taskWords(call, 'task retry');
    const options = callOptions(call);
    return async (client) =>
      answerOf(await client.retryTask({ task }, options), {
        say: taskIsNow,
        touched: ({ id }) => [id],
        next: ({ agent }) => (agent === null ? null : 'next: baton up -d runs it, if no node is running yet'),
      });
  },
});
