import { answerOf } from '../../answers.ts';
import { callOptions, taskWords } from '../../call-parts.ts';
import { flagText } from '../../command.ts';
import { nodeCommand } from '../../node/node-command.ts';
import { taskIsNow } from '../../output/task-text.ts';

export const cancelCommand = nodeCommand({
  usage: 'baton task cancel TASK [--reason TEXT] [--json]',
  about: 'Cancels a task for good. Tasks that depend on it become blocked, with the reason.',
  examples: ['baton task cancel 57', 'baton task cancel @ --reason "no longer needed"'],
  flags: { reason: { takes: 'value', shows: 'TEXT', help: 'why; stored with the change' } },
  plan(call) {
    const task = taskWords(call, 'task cancel');
    const reason = flagText(call, 'reason');
    const request = { task, ...(reason !== undefined && { reason }) };
    return async (client) =>
      answerOf(await client.cancelTask(request, callOptions(call)), { say: taskIsNow, touched: ({ id }) => [id] });
  },
});
