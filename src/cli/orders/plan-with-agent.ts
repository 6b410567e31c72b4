import type { NodeClient } from '../../api/contract.ts';
import type { OrderPlan, OrderRequest } from '../../api/order-contract.ts';
import { writeSetting } from '../../config/write-setting.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { type AskLine, askLine, isInteractive } from '../../platform/terminal.ts';
import type { Call } from '../command.ts';
import { configFileOf } from '../config-file-of.ts';

/** The plan; where nobody is named and somebody can be asked, the answer is kept for the next time. */
export async function planWithAgent(
  call: Call,
  client: NodeClient,
  request: OrderRequest,
): Promise<{ readonly request: OrderRequest; readonly plan: OrderPlan | Refusal }> {
  const plan = await client.planOrder(request);
  const names = namesOffered(plan);
  if (names.length === 0 || request.agent || call.flags.json || !isInteractive()) return { request, plan };
  const agent = await askForAgent(names, askLine);
  if (agent === null) return { request, plan };
  writeSetting({ path: configFileOf(call), key: 'default_agent', value: JSON.stringify(agent) });
  const named = { ...request, agent };
  return { request: named, plan: await client.planOrder(named) };
}

/** A refusal that lacks an agent lists those that are ready. */
function namesOffered(plan: OrderPlan | Refusal): readonly string[] {
  if (!isRefusal(plan) || plan.code !== 'E_AGENT_NOT_FOUND') return [];
  return (plan.details ?? []).map((line) => line.split(':')[0] ?? '').filter((name) => name !== '');
}

/** By name or by number; anything else is no answer. */
async function askForAgent(names: readonly string[], ask: AskLine): Promise<string | null> {
  const list = names.map((name, at) => `  ${at + 1}  ${name}\n`).join('');
  const answer = (await ask(`which agent?\n${list}name or number: `))?.trim() ?? '';
  return names.find((name, at) => name === answer || String(at + 1) === answer) ?? null;
}
