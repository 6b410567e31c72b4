import type { TaskDetail } from '../../api/contract.ts';
import type { NodeClient } from '../../api/node-client.ts';
import type { TaskView } from '../../api/task-view.ts';
import type { ContinueRequest, OrderPlan } from '../../domain/order-request.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { checksOfTask } from '../../domain/task.ts';
import { isTakenBack } from '../../domain/work-state.ts';
import { usualWorkspace } from '../../workspace/find-repository.ts';
import { refused } from '../answer-of-call.ts';
import { dataFolderOf } from '../call-folder.ts';
import { callOptions } from '../call-parts.ts';
import { type Answer, type Call, flagText, flagTexts, UsageError } from '../command.ts';
import { refuseNothingStored } from '../node/open-client.ts';
import { agree, agreeToGoOn } from './confirm-plan.ts';
import { type FollowedOrder, followToEnd } from './follow-to-end.ts';
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
export async function runTask(call: Call, reference: string): Promise<Answer<unknown>> {
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
    if (!isRefusal(begun)) return followToEnd(call, node, begun);
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
  const refusal = await refuseRun(client, detail);
  if (refusal) return refusal;
  const { isOrdered, isOpen, ...from } = await presentEnd(client, task);
  if (detail.status === 'ready' && isOpen && detail.quota !== null) {
    return { task: detail, plan: null, isPlanShown: true, quota: detail.quota, from };
  }
  if (isOrdered) return await again(call, client, { detail, from });
  const planned = await planTask(call, client, detail);
  if (isRefusal(planned)) return planned;
  const { agent, checks } = planned;
  const edited = await client.editTask({ task, agent, ...(checks.length > 0 && { checks }) });
  if (isRefusal(edited)) return edited;
  const ready = await toReady(client, edited);
  return isRefusal(ready) ? ready : { task: ready, ...planned, from };
}

interface StartedRound {
  readonly detail: TaskDetail;
  readonly from: NonNullable<FollowedOrder['from']>;
}

/** Another round of the same order, or the rest of this one. */
async function again(call: Call, client: NodeClient, { detail, from }: StartedRound): Promise<FollowedOrder | Refusal> {
  if (flagText(call, 'agent') !== undefined || flagTexts(call, 'check') !== undefined) {
    const message = `${detail.id} has run before, and its next round has the same agent and checks`;
    return {
      ...refuse('invalid_argument', message),
      hint: `baton run ${detail.id}, or baton continue ${detail.id} with another agent or other checks`,
    };
  }
  const planned = await client.planAgain({ task: detail.id });
  const plan = isRefusal(planned) ? null : planned;
  const task = await toReady(client, detail);
  if (isRefusal(task)) return task;
  // A task that is done stays so, and a new one continues it.
  return { task, plan, isPlanShown: false, ...(task.id === detail.id && { from }) };
}

interface PlannedTask {
  readonly plan: OrderPlan;
  readonly isPlanShown: boolean;
  readonly agent: string | null;
  readonly checks: string[];
}

/** Plans the first round as that of words, and asks what a person has to confirm. */
async function planTask(call: Call, client: NodeClient, detail: TaskDetail): Promise<PlannedTask | Refusal> {
  const text = [detail.title, detail.body.trim()].filter(Boolean).join('\n\n');
  const agent = flagText(call, 'agent') ?? detail.agent;
  const checks = flagTexts(call, 'check') ?? checksOfTask(detail);
  const asked = {
    text,
    workspace: usualWorkspace(dataFolderOf(call)),
    checks,
    ...(agent !== null && { agent }),
    origin: 'CLI' as const,
  };
  const { request, plan } = await planWithAgent(call, client, asked);
  if (isRefusal(plan)) return plan;
  const agreed = await agree(call, request, plan);
  const { agent: chosen = null, checks: accepted = [] } = agreed.request;
  return { plan, isPlanShown: agreed.isPlanShown, agent: chosen, checks: [...accepted] };
}

/** Refuses a task that cannot be run now; null for any other. */
async function refuseRun(client: NodeClient, detail: TaskDetail): Promise<Refusal | null> {
  return refuseToRun(detail) ?? (await refuseOpenDependency(client, detail));
}

/** Makes a task ready, from the backlog or for another round. One that was interrupted goes on as it is. */
async function toReady(client: NodeClient, { id, status }: TaskView): Promise<TaskView | Refusal> {
  if (status === 'ready' || status === 'in-progress') return await client.showTask({ task: id });
  return status === 'backlog' ? await client.moveTask({ task: id, to: 'ready' }) : await client.retryTask({ task: id });
}

/** Null for a task that can be run now. */
function refuseToRun({ id, status, work, runs }: TaskDetail): Refusal | null {
  if (['backlog', 'ready', 'blocked', 'deadletter'].includes(status)) return null;
  if ((status === 'review' || status === 'done') && isTakenBack(work)) return null;
  if (runs.some(({ isInterrupted }) => isInterrupted)) return null;
  if (status === 'in-progress') {
    return { ...refuse('already_claimed', `${id} is being carried out`), hint: `baton logs ${id} -f shows its output` };
  }
  const refusal = refuse('invalid_transition', `${id} is ${status}, so there is nothing to carry out`);
  const goOn = `baton continue ${id} "what to do" goes on with it in a new task`;
  const back = `baton undo ${id} takes its work back, then it can run again`;
  if (status === 'review') return { ...refusal, hint: `baton review approve ${id} accepts its work, ${back}` };
  return { ...refusal, hint: status === 'done' ? `${goOn}; ${back}` : goOn };
}

async function refuseOpenDependency(client: NodeClient, { id, waitsFor }: TaskDetail): Promise<Refusal | null> {
  for (const task of waitsFor) {
    const needed = await client.showTask({ task });
    if (isRefusal(needed)) continue;
    const refusal = refuse('dependencies_open', `${id} waits for ${task}, which is ${needed.status}`);
    return { ...refusal, hint: `baton run ${task} first` };
  }
  return null;
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
