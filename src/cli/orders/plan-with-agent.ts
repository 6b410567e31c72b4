import type { NodeClient } from '../../api/node-client.ts';
import { writeSetting } from '../../config/write-setting.ts';
import type { OrderPlan, OrderRequest } from '../../domain/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { type AskLine, askLine, isInteractive } from '../../platform/terminal.ts';
import { listAgents } from '../agent-views.ts';
import type { Call } from '../command.ts';
import { configFileOf } from '../config-file-of.ts';

export interface PlannedRequest {
  readonly request: OrderRequest;
  readonly plan: OrderPlan | Refusal;
}

/** Plans an order. If it names no agent, asks for one on a terminal and saves the answer as the default agent. */
export async function planWithAgent(call: Call, client: NodeClient, request: OrderRequest): Promise<PlannedRequest> {
  const plan = await client.planOrder(request);
  const lacksAgent = isRefusal(plan) && plan.code === 'E_AGENT_NOT_FOUND' && !request.agent;
  if (!lacksAgent || call.flags.json || !isInteractive()) return { request, plan };
  const agent = await askForAgent(await readyAgents(call), askLine);
  if (agent === null) return { request, plan };
  writeSetting({ path: configFileOf(call), key: 'default_agent', value: JSON.stringify(agent) });
  const named = { ...request, agent };
  return { request: named, plan: await client.planOrder(named) };
}

async function readyAgents(call: Call): Promise<readonly string[]> {
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
