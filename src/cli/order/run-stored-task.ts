import type { NodeClient } from '../../api/node-client.ts';
import type { TaskView } from '../../api/task/task-view.ts';
import type { ContinueRequest, RunTaskRequest } from '../../domain/order/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { refused } from '../answer-of-call.ts';
import { callOptions } from '../call-parts.ts';
import { type Answer, type Call, flagText, flagTexts, UsageError } from '../command.ts';
import { refuseNothingStored } from '../node/open-client.ts';
import { type AgreedRequest, agree, agreeToGoOn } from './confirm-plan.ts';
import { type FollowedOrder, followOrderToEnd } from './follow-order-to-end.ts';
import { type OrderNode, openOrderNode } from './order-node.ts';
import { planWithAgent } from './submit-order.ts';

const FOR_WORDS = [
  'workspace',
  'timeout',
  'retries',
  'budget',
  'net',
  'allow',
  'worktree',
  'review',
  'detach',
  'dry-run',
];

/** Runs a task that is there, in the foreground, as `baton run` does with words. */
export async function runStoredTask(call: Call, reference: string): Promise<Answer<unknown>> {
  const flag = FOR_WORDS.find((name) => call.flags[name] !== undefined && call.flags[name] !== false);
  if (flag !== undefined) {
    throw new UsageError(`run: --${flag} is for a new task, not for ${reference}`, `baton run ${reference}`);
  }
  const nothing = await refuseNothingStored(call, (client) => client.carryTask({ task: reference }));
  if (nothing) return refused(nothing);
  return await carryTask(call, await openOrderNode(call, process.cwd()), (client) =>
    client.showTask({ task: reference }),
  );
}

/** The same for a task that `find` finds or creates at the node. */
export async function carryTask(
  call: Call,
  node: OrderNode,
  find: (client: NodeClient) => Promise<TaskView | Refusal>,
): Promise<Answer<unknown>> {
  try {
    const found = await find(node.client);
    const begun = isRefusal(found) ? found : await begin(call, node.client, found.id);
    if (!isRefusal(begun)) return followOrderToEnd(call, node, begun);
    const finish = async () => {
      await node.close();
      return null;
    };
    return { ...refused(begun), finish };
  } catch (error) {
    await node.close();
    throw error;
  }
}

async function begin(call: Call, client: NodeClient, task: string): Promise<FollowedOrder | Refusal> {
  const detail = await client.showTask({ task });
  if (isRefusal(detail)) return detail;
  const { isOrdered, isOpen, ...from } = await presentEnd(client, task);
  if (detail.status === 'ready' && isOpen && detail.quota !== null) {
    return { task: detail, plan: null, isPlanShown: true, quota: detail.quota, from };
  }
  const agreed = isOrdered ? { request: requestOf(call, task), isPlanShown: false } : await agreeOn(call, client, task);
  if (isRefusal(agreed)) return agreed;
  const begun = await client.runTask(agreed.request, callOptions(call));
  if (isRefusal(begun)) return begun;
  // A task that is done stays so, and a new one continues it.
  return { ...begun, isPlanShown: agreed.isPlanShown, ...(begun.task.id === task && { from }) };
}

function requestOf(call: Call, task: string): RunTaskRequest {
  const [agent, checks] = [flagText(call, 'agent'), flagTexts(call, 'check')];
  return { task, ...(agent !== undefined && { agent }), ...(checks && { checks }) };
}

/** Plans the first round of a task, and asks what a person has to confirm. */
async function agreeOn(call: Call, client: NodeClient, task: string): Promise<AgreedRequest<RunTaskRequest> | Refusal> {
  const asked = requestOf(call, task);
  const { request, plan } = await planWithAgent(call, asked, (named) => client.planRun(named));
  if (isRefusal(plan)) return plan;
  const { request: agreed, isPlanShown } = await agree(call, request, plan);
  const { agent, checks } = agreed;
  return { request: { task, ...(agent !== null && { agent }), ...(checks.length > 0 && { checks }) }, isPlanShown };
}

/** The end of what is known of the task: its last event, its output so far, and its last round. */
export async function presentEnd(client: NodeClient, task: string) {
  let after = 0;
  for (;;) {
    const page = await client.listEvents({ task, after });
    const last = isRefusal(page) ? undefined : page.events.at(-1)?.eventId;
    if (last === undefined) break;
    after = last;
  }
  let printed = 0;
  for (;;) {
    const page = await client.readLog({ task, after: printed });
    if (isRefusal(page) || page.next === printed) break;
    printed = page.next;
  }
  const report = await client.orderReport({ task });
  if (isRefusal(report)) return { after, printed, roundBefore: 0, isOrdered: false, isOpen: false };
  const isOpen = !report.isOver;
  return { after, printed, roundBefore: report.round - (isOpen ? 1 : 0), isOrdered: true, isOpen };
}

/** Follows the new round from its beginning: of a follow-up task everything, of the same task what comes now. */
export async function beginContinuing(call: Call, client: NodeClient, request: ContinueRequest) {
  const shown = await client.showTask({ task: request.task });
  if (isRefusal(shown)) return shown;
  const { after, printed, roundBefore, isOpen } = await presentEnd(client, shown.id);
  // A plan that is refused is refused with its reason below.
  const { agent, budgetUsd } = request;
  const changed = { ...(agent !== undefined && { agent }), ...(budgetUsd !== undefined && { budgetUsd }) };
  const plan = call.flags.yes ? null : await client.planAgain({ ...changed, task: shown.id });
  const { isPlanShown } = plan === null || isRefusal(plan) ? { isPlanShown: false } : await agreeToGoOn(call, plan);
  // A wait that this ends has a report of its own.
  const from = { after, printed, roundBefore: roundBefore + (isOpen ? 1 : 0) };
  const taken = await client.continueTask({ ...request, task: shown.id }, callOptions(call));
  if (isRefusal(taken)) return taken;
  return { ...taken, isPlanShown, ...(taken.task.id === shown.id && { from }) };
}
