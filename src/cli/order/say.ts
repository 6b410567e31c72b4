import type { SayAnswer } from '../../api/review/talk-contract.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { callOptions, folderFlagOf, taskWords } from '../call-parts.ts';
import { UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';

export const sayCommand = nodeCommand({
  usage: 'baton say TASK TEXT [--json]',
  about: [
    'Sends a message to the agent of a task. Claude Code gets it in its running turn; any other agent gets it with its next prompt:',
    'the next attempt, or baton continue. The first word names the task, the rest is the message.',
  ].join(' '),
  examples: ['baton say @ "use the existing helper in src/money.ts"', 'baton say 57 stop at the first failing test'],
  flags: {},
  plan(call) {
    const [first, ...rest] = call.words;
    const task = taskWords(call, 'say', first === undefined ? [] : [first]);
    const text = rest.join(' ');
    if (text.trim() === '') throw new UsageError('say: needs something to say', `baton say ${task} "…"`);
    const options = callOptions(call);
    return async (client) =>
      answerOfCall(await client.sayWords({ task, text }, options), {
        say: saidText,
        touched: ({ task: { id } }) => [id],
        next: (answer) => nextOf(answer, folderFlagOf(call)),
      });
  },
});

function saidText({ task, isDelivered, isRunning }: SayAnswer): string {
  if (isDelivered) return `told ${task.id}`;
  const why = isRunning ? 'its agent cannot be told anything while it works' : `it is ${task.status}`;
  return `kept for ${task.id}: ${why}, so it will be told at its next turn`;
}

/** A task that waits for a person gets a next turn from that person only. */
function nextOf({ task: { id, status }, isDelivered }: SayAnswer, folderFlag: string): string | null {
  const isLeft = !isDelivered && (status === 'review' || status === 'blocked' || status === 'deadletter');
  return isLeft ? `next: baton continue ${id}${folderFlag}` : null;
}
