import type { RequestOf } from '../../api/node-client.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { readAttentionId } from '../../domain/task/attention.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { callOptions, folderFlagOf, taskWords } from '../call-parts.ts';
import { type Call, type CliCommand, flagTexts, UsageError } from '../command.ts';
import { refuseNothingStored } from '../node/open-client.ts';
import { followOrderToEnd } from '../order/follow-order-to-end.ts';
import { openOrderNode } from '../order/order-node.ts';
import { presentEnd } from '../order/run-stored-task.ts';
import { detachedOrderText, leave } from '../order/submit-order.ts';
import { reviewAnswerText } from './attention-text.ts';

const EXAMPLE = 'baton review return 57 -m "cover negative amounts"';

export const returnCommand: CliCommand = {
  usage: 'baton review return TASK|ID -m TEXT… [--detach] [--json]',
  about: [
    'Sends work in review back to its agent, with each message as a numbered item. The agent resumes its session with the vendor,',
    'if the vendor still has it, in the same folder or worktree. The first answer counts. Output and exit codes are those of baton run.',
    'A task that an agent claimed by itself is in progress again, with the items in its work log.',
  ].join(' '),
  examples: [EXAMPLE, 'baton review return @ -m "rename it back" -m "src/money.ts:12: round down"'],
  flags: {
    message: { takes: 'values', shows: 'TEXT', short: 'm', help: 'what is to be changed; repeatable, one item each' },
    detach: { takes: 'nothing', help: 'do not wait; follow it with baton logs TASK -f' },
    events: { takes: 'nothing', help: 'print AOP events and the final RESPONSE, one a line, on stdout' },
  },
  async run(call) {
    const request = requestOf(call);
    const reference = readAttentionId(request.task)?.taskId ?? request.task;
    const nothing = await refuseNothingStored(call, (client) => client.carryTask({ task: reference }));
    if (nothing) return refused(nothing);
    const node = await openOrderNode(call, process.cwd());
    try {
      const shown = await node.client.showTask({ task: reference });
      if (isRefusal(shown)) return await leave(node, refused(shown));
      const { after, printed, roundBefore, isOpen } = await presentEnd(node.client, shown.id);
      const meant = { ...request, task: meantBy(request.task, shown.id) };
      const answer = await node.client.returnReview(meant, callOptions(call));
      if (isRefusal(answer)) return await leave(node, refused(answer));
      const { task, plan } = answer;
      if (plan === null || call.flags.detach) {
        const next = () => (plan === null ? null : detachedOrderText(task.id, folderFlagOf(call)));
        return await leave(node, answerOfCall(answer, { say: reviewAnswerText, next, touched: () => [task.id] }));
      }
      const from = { after, printed, roundBefore: roundBefore + (isOpen ? 1 : 0) };
      return followOrderToEnd(call, node, { task, plan, isPlanShown: false, from });
    } catch (error) {
      await node.close();
      throw error;
    }
  },
};

/** An entry of the queue stays itself: its review may be answered by now. */
function meantBy(reference: string, task: string): string {
  return readAttentionId(reference) === null ? task : reference;
}

type Return = RequestOf<'returnReview'>;

function requestOf(call: Call): Return {
  const task = taskWords(call, 'review return');
  const messages = flagTexts(call, 'message') ?? [];
  if (messages.length === 0) throw new UsageError('review return: what is to be changed?', EXAMPLE);
  return { task, comments: messages.map(commentOf) };
}

/** A file and a line before the text, as compilers write them, are the place of the comment. */
const PLACED = /^([^\s:]+):(\d{1,7}):\s+(\S.*)$/s;

function commentOf(text: string): NonNullable<Return['comments']>[number] {
  const [, path, line, rest] = PLACED.exec(text) ?? [];
  return path === undefined || rest === undefined || !isFile(path)
    ? { text }
    : { path, line: Math.max(1, Number(line)), text: rest };
}

/** A slash or a dot within the word, not at its end. */
function isFile(word: string): boolean {
  return word.slice(0, -1).includes('/') || word.slice(1, -1).includes('.');
}
