import { answerOfCall } from '../answer-of-call.ts';
import { callOptions, folderFlagOf, taskWords } from '../call-parts.ts';
import { flagText } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import { reviewAnswerText } from './attention-text.ts';

export const approveCommand = nodeCommand({
  usage: 'baton review approve TASK|ID [-m TEXT] [--json]',
  about: [
    'Accepts the work of a task in review: the task is done. The first answer counts; a later one is told who gave it. Work in a worktree',
    'is brought into your files by baton apply.',
  ].join(' '),
  examples: ['baton review approve @', 'baton review approve 57 -m "good"'],
  flags: { message: { takes: 'value', shows: 'TEXT', short: 'm', help: 'kept with the approval' } },
  plan(call) {
    const task = taskWords(call, 'review approve');
    const message = flagText(call, 'message');
    const options = callOptions(call);
    return async (client) =>
      answerOfCall(await client.approveReview({ task, ...(message !== undefined && { message }) }, options), {
        say: reviewAnswerText,
        touched: (answer) => [answer.task.id],
        next: ({ task: { id, work } }) =>
          work === 'waiting' ? `next: baton apply ${id}${folderFlagOf(call)}  bring its work into your files` : null,
      });
  },
});
