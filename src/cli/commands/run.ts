import type { OrderReport } from '../../api/order-contract.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { answerOf, refused } from '../answers.ts';
import { callOptions, folderFlagOf } from '../call-parts.ts';
import type { Answer, Command } from '../command.ts';
import { askBeyond } from '../orders/ask-beyond.ts';
import { followToEnd } from '../orders/follow-to-end.ts';
import { ORDER_FLAGS, orderRequestOf } from '../orders/order-request.ts';
import { planWithAgent } from '../orders/plan-with-agent.ts';
import { agree } from '../orders/questions.ts';
import { openRunNode } from '../orders/run-node.ts';

export const runCommand: Command = {
  usage: 'baton run [FILE | - | "what to do"] [--agent NAME] [--check COMMAND]… [--json]',
  about: [
    'Has an agent do a task, watches it, and checks the work. The task is plain words, an AOP TASK (JSON), or AOP v1',
    'markdown. Checks run before and after the agent; without any, the work counts as unchecked, never as a success. Your',
    'branch, index and stash are not touched by Baton; what an agent does to them is reported, and baton undo puts it back. Ctrl-C stops the agent and keeps its work.',
    'Exit: 0 checked · 1 failed · 3 partly done or unchecked · 4 aborted · 2 not started · 130 stopped by you.',
  ].join('\n'),
  examples: [
    'baton run "add tests for src/money.ts" --agent emma --check "npm test"',
    'baton run task.json --json',
    'baton run "make NOTES.md" --agent demo --dry-run',
  ],
  flags: {
    ...ORDER_FLAGS,
    detach: { takes: 'nothing', help: 'do not wait; follow it with baton logs TASK -f' },
    'dry-run': { takes: 'nothing', help: 'show the plan only; create and start nothing' },
    yes: { takes: 'nothing', short: 'y', help: 'answer yes to every question' },
    events: { takes: 'nothing', help: 'print AOP events and the final RESPONSE, one a line, on stdout' },
  },
  async run(call) {
    const asked = await orderRequestOf(call);
    const options = callOptions(call);
    if (call.flags['dry-run']) return await (await import('../orders/dry-run.ts')).dryRun(call, asked);
    const node = await openRunNode(call, asked.workspace);
    try {
      const planned = await planWithAgent(call, node.client, asked);
      const { request, plan } = await askBeyond(call, node.client, planned);
      if (isRefusal(plan)) return await leave(node, refused(plan));
      const agreed = await agree(call, request, plan);
      const taken = await node.client.submitOrder(agreed.request, options);
      if (isRefusal(taken)) return await leave(node, refused(taken));
      if (call.flags.detach)
        return await leave(
          node,
          answerOf(taken, { say: detachedText, next: ({ task }) => detachedNext(task.id, folderFlagOf(call)) }),
        );
      return followToEnd(call, node, { ...taken, isPlanShown: agreed.isPlanShown });
    } catch (error) {
      await node.close();
      throw error;
    }
  },
};

async function leave<Value>(
  node: Awaited<ReturnType<typeof openRunNode>>,
  answer: Answer<Value>,
): Promise<Answer<Value>> {
  return {
    ...answer,
    finish: async () => {
      await node.close();
      return null;
    },
  };
}

function detachedText({ task }: { readonly task: OrderReport['task'] }): string {
  return `${task.id} is queued`;
}

function detachedNext(task: string, folderFlag: string): string {
  return [
    `next: baton logs ${task} -f${folderFlag}  follow its output`,
    `next: baton stop ${task}${folderFlag}     stop it`,
    `next: baton down${folderFlag}  stop the node, once the task is done`,
  ].join('\n');
}
