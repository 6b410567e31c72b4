import { answerOfCall } from '../answer-of-call.ts';
import { callOptions, statusNamed, taskWords } from '../call-parts.ts';
import { flagText, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { taskIsNow } from './task-page.ts';

export const taskMoveCommand = nodeCommand({
  usage: 'baton task move TASK STATUS [--reason TEXT] [--json]',
  about: [
    'Changes the status of a task, if the lifecycle allows it. A run that holds the task loses it.',
    'backlog, ready, in-progress, blocked, review, done, cancelled, deadletter: see docs/task-lifecycle.md.',
  ].join(' '),
  examples: ['baton task move @ ready', 'baton task move 57 done', 'baton task move 57 blocked --reason "no API key"'],
  flags: { reason: { takes: 'value', shows: 'TEXT', help: 'why; stored with the change' } },
  plan(call) {
    const status = call.words.at(-1);
    if (status === undefined || call.words.length < 2)
      throw new UsageError('task move: needs a task and a status', 'baton task move TASK ready');
    const to = statusNamed(status);
    const task = taskWords(call, 'task move', call.words.slice(0, -1));
    const reason = flagText(call, 'reason');
    const request = { task, to, ...(reason !== undefined && { reason }) };
    return async (client) =>
      answerOfCall(await client.moveTask(request, callOptions(call)), { say: taskIsNow, touched: ({ id }) => [id] });
  },
});
