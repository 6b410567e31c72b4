import type { NodeClient } from '../../api/node-client.ts';
import type { OrderReport } from '../../api/order/order-contract.ts';
import type { OfferedPlan, OrderNeeds, OrderPlan, OrderRequest } from '../../domain/order/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { keyed } from '../../node/client/reconnecting-client.ts';
import { type AskLine, askLine, isInteractive, isYes } from '../../platform/terminal.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { callOptions, folderFlagOf } from '../call-parts.ts';
import type { Answer, Call } from '../command.ts';
import { visible } from '../output/visible.ts';
import { type AgreedRequest, agree } from './confirm-plan.ts';
import { followOrderToEnd } from './follow-order-to-end.ts';
import type { OrderNode } from './order-node.ts';

/** Plans an order, before its node or by it. */
export type Planner = Pick<NodeClient, 'planOrder'>;

/** An order that a person agreed to, and its offer; a node without one plans it. */
type AgreedOrder = AgreedRequest & { readonly offer?: string };

/**
 * Plans an order once and asks what a person has to confirm; a refusal, or a UsageError, where it is not to be run. The answers are
 * added to the plan when the order is given.
 */
export async function agreeOnOrder(call: Call, planner: Planner, asked: OrderRequest): Promise<AgreedOrder | Refusal> {
  const planned = await planWithAgent(call, asked, (request) => planner.planOrder({ ...request, isAttended: true }));
  const { plan } = planned;
  if (isRefusal(plan)) return plan;
  const request = await askForAccess(call, planned.request, plan);
  if (isRefusal(request)) return request;
  const agreed = await agree(call, request, plan);
  return { ...agreed, ...(plan.offer && { offer: plan.offer.id }) };
}

/** Plans an order and asks what a person has to confirm, unless that was done, submits it, and follows it to its end. */
export async function runOrder(call: Call, node: OrderNode, asked: OrderRequest | AgreedOrder) {
  try {
    // What makes a key is slow to load: it is made while the node plans.
    const [agreed, options] = await Promise.all([
      'request' in asked ? asked : agreeOnOrder(call, node.client, asked),
      keyed(callOptions(call)),
    ]);
    if (isRefusal(agreed)) return await leave(node, refused(agreed));
    const { request, offer } = agreed;
    const taken = await node.client.submitOrder({ ...request, ...(offer !== undefined && { offer }) }, options);
    if (isRefusal(taken)) return await leave(node, refused(taken));
    if (call.flags.detach)
      return await leave(
        node,
        answerOfCall(taken, { say: detachedText, next: ({ task }) => detachedOrderText(task.id, folderFlagOf(call)) }),
      );
    return followOrderToEnd(call, node, { ...taken, isPlanShown: agreed.isPlanShown });
  } catch (error) {
    await node.close();
    throw error;
  }
}

/** Closes the node after the answer. */
export async function leave<Value>(node: OrderNode, answer: Answer<Value>): Promise<Answer<Value>> {
  return {
    ...answer,
    finish: async () => {
      await node.close();
      return null;
    },
  };
}

export function detachedText({ task }: { readonly task: OrderReport['task'] }): string {
  return `${task.id} is queued`;
}

export function detachedOrderText(task: string, folderFlag: string): string {
  return [
    `next: baton logs ${task} -f${folderFlag}  follow its output`,
    `next: baton stop ${task}${folderFlag}     stop it`,
    `next: baton down${folderFlag}  stop the node, once the task is done`,
  ].join('\n');
}

/** Plans a request. If it names no agent, asks for one on a terminal and saves the answer as the default agent. */
export async function planWithAgent<Request extends { readonly agent?: string | null }, Plan extends OrderPlan>(
  call: Call,
  request: Request,
  planOf: (request: Request) => Promise<Plan | Refusal>,
): Promise<{ readonly request: Request; readonly plan: Plan | Refusal }> {
  const plan = await planOf(request);
  const lacksAgent = isRefusal(plan) && plan.code === 'E_AGENT_NOT_FOUND' && !request.agent;
  if (!lacksAgent || call.flags.json || !isInteractive()) return { request, plan };
  const agent = await askForAgent(await readyAgents(call), askLine);
  if (agent === null) return { request, plan };
  // Loaded when somebody has chosen: most orders name their agent, and every order waits for what is loaded.
  const [{ writeSetting }, { configFileOf, makeFolderOfConfig }] = await Promise.all([
    import('../../config/write-setting.ts'),
    import('../node/config-file-of.ts'),
  ]);
  const beforeWriting = () => makeFolderOfConfig(call);
  writeSetting({ path: configFileOf(call), key: 'default_agent', value: JSON.stringify(agent), beforeWriting });
  const named = { ...request, agent };
  return { request: named, plan: await planOf(named) };
}

async function readyAgents(call: Call): Promise<readonly string[]> {
  const { listAgents } = await import('../agent/agent-views.ts');
  const { agents } = await listAgents(call);
  return agents.filter(({ ready }) => ready).map(({ name }) => name);
}

/** Takes a name or a number; anything else is no answer. */
async function askForAgent(names: readonly string[], ask: AskLine): Promise<string | null> {
  if (names.length === 0) return null;
  const list = names.map((name, at) => `  ${at + 1}  ${name}\n`).join('');
  const answer = (await ask(`which agent?\n${list}name or number: `))?.trim() ?? '';
  return names.find((name, at) => name === answer || String(at + 1) === answer) ?? null;
}

/**
 * Asks a person about paths and network beyond the configured bounds. Without a terminal the refusal stands; --yes
 * answers for an order in words only, because a program's order names its paths itself.
 */
async function askForAccess(
  call: Call,
  request: OrderRequest,
  { offer, isProgram }: OfferedPlan,
): Promise<OrderRequest | Refusal> {
  const needs = offer?.needs ?? null;
  if (needs === null) return request;
  const isTerminal = isInteractive() && !call.flags.json;
  const isAgreed = call.flags.yes ? !isProgram : isTerminal && (await isYesTo(needs));
  if (!isAgreed) return needs.refusal;
  const { allow = [], net = [] } = request;
  return { ...request, allow: [...allow, ...needs.yes.allow], net: [...net, ...needs.yes.net] };
}

async function isYesTo({ readPaths, writePaths, isWholeNetwork }: OrderNeeds): Promise<boolean> {
  const asked = [
    ...readPaths.map((path) => `read ${visible(path)}`),
    ...writePaths.map((path) => `read and write ${visible(path)}`),
    ...(isWholeNetwork ? ['use the whole network'] : []),
  ];
  const line = await askLine(`the task asks to ${asked.join(', to ')}. Allow it? [y/N] `);
  return isYes(line);
}
