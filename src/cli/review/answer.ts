import type { QuestionView } from '../../api/review/talk-contract.ts';
import { answerOfCall } from '../answer-of-call.ts';
import { callOptions, taskWords } from '../call-parts.ts';
import { type Call, UsageError } from '../command.ts';
import { nodeCommand } from '../node/node-command.ts';
import type { Style } from '../output/style.ts';
import { visible } from '../output/visible.ts';

export const answerCommand = nodeCommand({
  usage: 'baton answer TASK|QUESTION yes|no [--json]',
  about: [
    'Answers the question of a task: an agent without a sandbox asks permission for anything except editing files. baton status shows the',
    'open questions with what, where and why. A question that nobody answers counts as no after questions.timeout_seconds.',
  ].join(' '),
  examples: ['baton answer @ yes', 'baton answer 57 no', 'baton answer qst_01KA7ZC4Q9D7D3R1Q2W8V5N6MB yes'],
  flags: {},
  plan(call) {
    const { reference, answer } = partsOf(call);
    const options = callOptions(call);
    return async (client) =>
      answerOfCall(await client.answerQuestion({ task: reference, answer }, options), {
        say: answeredText,
        touched: ({ taskId }) => [taskId],
      });
  },
});

/** The last word is the answer: a task may be named by several. */
function partsOf(call: Call): { readonly reference: string; readonly answer: string } {
  const { words } = call;
  const reference = taskWords(call, 'answer', words.slice(0, words.length === 1 ? 1 : -1));
  const answer = words.length > 1 ? words.at(-1) : undefined;
  if (answer === undefined) throw new UsageError('answer: needs an answer', `baton answer ${reference} yes|no`);
  return { reference, answer: SHORT[answer.toLowerCase()] ?? answer.toLowerCase() };
}

const SHORT: Readonly<Record<string, string>> = { y: 'yes', n: 'no' };

function answeredText({ taskId, what, answer }: QuestionView, style: Style): string {
  return `answered ${style.strong(answer?.answer ?? '')}: ${taskId} asked to ${visible(what)}`;
}
