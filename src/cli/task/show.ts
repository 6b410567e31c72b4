import { isRefusal } from '../../domain/refusal.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { taskWords } from '../call-parts.ts';
import { nodeCommand } from '../node/node-command.ts';
import { orderView, taskPage, withWork } from './task-page.ts';

export const taskShowCommand = nodeCommand({
  usage: 'baton task show TASK [--json]',
  about: 'Shows everything about one task: its status and why, its runs, its work and its text.',
  examples: ['baton task show 57', 'baton task show TASK-2026-02-09-057 --json', 'baton task show write readme'],
  ignores: ['key'],
  flags: {},
  plan(call) {
    const task = taskWords(call, 'task show');
    return async (client) => {
      const detail = await client.showTask({ task });
      if (isRefusal(detail)) return refused(detail);
      const work = await client.orderReport({ task: detail.id });
      const order = isRefusal(work) ? null : orderView(work);
      return answerOfCall(
        { ...detail, order },
        { say: (value, style) => withWork(taskPage(value, style), order, style) },
      );
    };
  },
});
