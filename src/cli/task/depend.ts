import { answerOfCall } from '../answer-of-call.ts';
import { callOptions, taskWords } from '../call-parts.ts';
import { flagTexts, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { taskWaits } from './task-page.ts';

export const taskDependCommand = nodeCommand({
  usage: 'baton task depend TASK ON… [--json]',
  about: 'Makes a task wait until other tasks are done. A circular dependency is refused.',
  examples: ['baton task depend 57 55 56', 'baton task depend TASK-2026-02-09-057 --on 55'],
  flags: { on: { takes: 'values', shows: 'TASK', help: 'a task to wait for, instead of an argument; repeatable' } },
  plan(call) {
    const task = taskWords(call, 'task depend', call.words.slice(0, 1));
    const on = [...call.words.slice(1), ...(flagTexts(call, 'on') ?? [])];
    if (on.length === 0) throw new UsageError('task depend: needs a task to wait for', 'baton task depend TASK ON');
    const options = callOptions(call);
    return async (client) =>
      answerOfCall(await client.dependTask({ task, on }, options), { say: taskWaits, touched: ({ id }) => [id] });
  },
});
