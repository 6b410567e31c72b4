import type { OrderAnswer } from '../../api/order/order-contract.ts';
import type { ContinueRequest } from '../../domain/order/order-request.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { folderFlagOf } from '../call-parts.ts';
import { type Call, type CliCommand, UsageError } from '../command.ts';
import { refuseNothingStored } from '../node/open-client.ts';
import { followOrderToEnd } from './follow-order-to-end.ts';
import { openOrderNode } from './order-node.ts';
import { boundFlagsOf, ORDER_FLAGS } from './read-order-request.ts';
import { beginContinuing } from './run-stored-task.ts';
import { detachedOrderText, detachedText, leave } from './submit-order.ts';

const EXAMPLE = 'baton continue 57 "and handle negative amounts"';
const { agent, check, timeout, retries, budget } = ORDER_FLAGS as Record<string, (typeof ORDER_FLAGS)[string]>;

export const continueCommand: CliCommand = {
  usage: 'baton continue TASK ["what to do"] [--agent NAME] [--check COMMAND]… [--json]',
  about: [
    'Continues a task that is over: failed, stopped, out of time or quota, in review or done. The same agent resumes its own',
    'session, where the vendor still has it, and is told what failed and your words; another one (--agent) gets the task, what passed and',
    'failed, the difference so far and the last words of the first. The work continues where it is: in your files, or in the worktree in',
    'which it waits to be applied. Agent, checks and limits are as before unless you name them. If the task is done or',
    'cancelled, Baton creates a follow-up task. It asks about a missing sandbox and missing git as baton run does. Output and exit codes are those',
    'of baton run.',
  ].join(' '),
  examples: [EXAMPLE, 'baton continue @', 'baton continue 57 --agent claude --check "npm test"'],
  flags: {
    ...(agent && {
      agent: {
        ...agent,
        help: 'continue with this agent (default: the one that worked last); auto chooses by earlier results',
      },
    }),
    ...(check && {
      check: { ...check, help: 'a command that must pass afterwards, in place of those before; repeatable' },
    }),
    ...(timeout && { timeout }),
    ...(retries && { retries }),
    ...(budget && { budget }),
    detach: { takes: 'nothing', help: 'do not wait; follow it with baton logs TASK -f' },
    yes: { takes: 'nothing', short: 'y', help: 'answer yes to every question' },
    events: { takes: 'nothing', help: 'print AOP events and the final RESPONSE, one a line, on stdout' },
  },
  async run(call) {
    const request = requestOf(call);
    const nothing = await refuseNothingStored(call, (client) => client.carryTask({ task: request.task }));
    if (nothing) return refused(nothing);
    const node = await openOrderNode(call, process.cwd());
    try {
      const begun = await beginContinuing(call, node.client, request);
      if (isRefusal(begun)) return await leave(node, refused(begun));
      if (!call.flags.detach) return followOrderToEnd(call, node, begun);
      const { task, plan } = begun;
      const next = () => detachedOrderText(task.id, folderFlagOf(call));
      return await leave(node, answerOfCall<OrderAnswer>({ task, plan }, { say: detachedText, next }));
    } catch (error) {
      await node.close();
      throw error;
    }
  },
};

function requestOf(call: Call): ContinueRequest {
  const [task, ...words] = call.words;
  if (task === undefined) throw new UsageError('continue: which task?', EXAMPLE);
  const { checks, ...flags } = boundFlagsOf(call);
  const text = words.join(' ').trim();
  if (words.length > 0 && text === '') throw new UsageError('continue: the words are empty', EXAMPLE);
  return { task, ...flags, ...(checks.length > 0 && { checks }), ...(text !== '' && { text }) };
}
