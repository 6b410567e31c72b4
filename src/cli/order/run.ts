import { existsSync } from 'node:fs';
import { isToBeSent } from '../../domain/order/order-request.ts';
import { isRefusal, refuse } from '../../domain/refusal.ts';
import type { OrderOffers } from '../../orders/order-offers.ts';
import { refused } from '../answer-of-call.ts';
import { dataFolderOf } from '../call-folder.ts';
import { callOptions } from '../call-parts.ts';
import type { CliCommand } from '../command.ts';
import { openOrderNode } from './order-node.ts';
import { namedTask, ORDER_FLAGS, orderRequestOf, REMOTE_FLAGS } from './read-order-request.ts';
import type { Planner } from './submit-order.ts';

export const runCommand: CliCommand = {
  usage: 'baton run [FILE | - | TASK | "what to do"] [--agent NAME] [--check COMMAND]… [--json]',
  about: [
    [
      'Has an agent do a task, watches it, and checks the work. The task is plain words, an AOP TASK (JSON), AOP v1 markdown, or',
      'an existing task by its name, its number or @. Checks run before and after the agent; without checks the work is',
      'unchecked, never a success. Baton does not change your branch, index or stash; it reports what an agent does to',
      'them, and baton undo reverts it. Ctrl-C stops the agent and keeps its work.',
    ].join(' '),
    'Exit: 0 checked · 1 failed · 3 partial or unchecked · 4 aborted · 5 paused · 2 not started · 75 out of quota · 130 stopped by you.',
  ].join('\n'),
  examples: [
    'baton run "add tests for src/money.ts" --agent emma --check "npm test"',
    'baton run "add tests for src/money.ts" --agent auto',
    'baton run task.json --json',
    'baton run 57',
    'baton run "add tests for src/money.ts" --on laptop --check "npm test"',
    'baton run "make NOTES.md" --agent demo --dry-run',
  ],
  flags: {
    ...ORDER_FLAGS,
    ...REMOTE_FLAGS,
    detach: { takes: 'nothing', help: 'do not wait; follow it with baton logs TASK -f' },
    'dry-run': { takes: 'nothing', help: 'show the plan only; create and start nothing' },
    yes: { takes: 'nothing', short: 'y', help: 'answer yes to every question' },
    events: { takes: 'nothing', help: 'print AOP events and the final RESPONSE, one a line, on stdout' },
  },
  async run(call) {
    const named = namedTask(call);
    if (named !== null) return await (await import('./run-stored-task.ts')).runStoredTask(call, named);
    const asked = await orderRequestOf(call);
    // A wrong key is refused before anything is opened.
    callOptions(call);
    if (call.flags['dry-run']) return await (await import('./dry-run-order.ts')).dryRunOrder(call, asked);
    // Where nothing is stored yet, an order that is refused must create nothing: it is planned before there is a node.
    const { agreeOnOrder, runOrder } = await import('./submit-order.ts');
    const folder = dataFolderOf(call);
    if (isToBeSent(asked) && !existsSync(folder)) return refused(refuse('not_joined', 'there is no node here yet'));
    if (existsSync(folder)) return await runOrder(call, await openOrderNode(call, asked.workspace), asked);
    const { planner, offers } = await firstPlanner(folder);
    const agreed = await agreeOnOrder(call, planner, asked);
    if (isRefusal(agreed)) return refused(agreed);
    return await runOrder(call, await openOrderNode(call, asked.workspace, offers), agreed);
  },
};

/** Plans before there is a node; the node that is opened next is given the offers. */
async function firstPlanner(dataFolder: string): Promise<{ readonly planner: Planner; readonly offers: OrderOffers }> {
  const [{ planOrderOnly }, { OrderOffers: Offers }] = await Promise.all([
    import('../../node/plan-world-of.ts'),
    import('../../orders/order-offers.ts'),
  ]);
  const offers = new Offers();
  return { planner: { planOrder: (request) => planOrderOnly(dataFolder, request, offers) }, offers };
}
