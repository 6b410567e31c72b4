import type { NodeClient } from '../../api/node-client.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { callOptions, taskWords } from '../call-parts.ts';
import { flagText, UsageError } from '../command.ts';
import { type NodeAnswer, nodeCommand } from '../node/node-command.ts';
import { taskIsNow } from './task-page.ts';

export const taskCancelCommand = nodeCommand({
  usage: 'baton task cancel TASK… [--reason TEXT] [--json]',
  about: [
    'Cancels tasks for good. Tasks that depend on them become blocked, with the reason. Several tasks are given by name,',
    'number or @; if one of them does not exist, none is cancelled.',
  ].join(' '),
  examples: ['baton task cancel 57', 'baton task cancel 57 58 61', 'baton task cancel @ --reason "no longer needed"'],
  flags: { reason: { takes: 'value', shows: 'TEXT', help: 'why; stored with the change' } },
  plan(call) {
    const words = taskWords(call, 'task cancel');
    const options = callOptions(call);
    const reason = flagText(call, 'reason');
    const why = reason === undefined ? {} : { reason };
    if (call.words.length < 2 || !call.words.every(isName)) {
      return async (client) =>
        answerOfCall(await client.cancelTask({ task: words, ...why }, options), {
          say: taskIsNow,
          touched: ({ id }) => [id],
        });
    }
    if (options.key !== undefined)
      throw new UsageError('task cancel: --key is for one task', 'baton task cancel TASK --key KEY');
    return (client) => cancelAll(client, call.words, why);
  },
});

/** Words of a title are one task; names, ids and numbers are one each. */
function isName(word: string): boolean {
  return word === '@' || /^(TASK-\S+|tsk_\S+|\d{1,3})$/i.test(word);
}

/** Names all tasks before it cancels the first. */
async function cancelAll(
  client: NodeClient,
  words: readonly string[],
  why: { readonly reason?: string },
): Promise<NodeAnswer<unknown>> {
  const ids: string[] = [];
  for (const task of words) {
    const found = await client.showTask({ task });
    if (isRefusal(found)) return refused({ ...found, message: `${found.message}; nothing was cancelled` });
    if (!ids.includes(found.id)) ids.push(found.id);
  }
  const answers: NodeAnswer<unknown>[] = [];
  for (const task of ids) answers.push(answerOfCall(await client.cancelTask({ task, ...why }), { say: taskIsNow }));
  const shown = new Map(
    answers.flatMap((answer) => [...(answer.values as Iterable<unknown>)].map((value) => [value, answer])),
  );
  return {
    values: shown.keys(),
    human: (value, style) => shown.get(value)?.human(value, style) ?? null,
    touched: ids,
    exitCode: () => Math.max(...answers.map((answer) => answer.exitCode())),
  };
}
