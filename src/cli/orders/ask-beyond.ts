import { resolve } from 'node:path';
import type { NodeClient } from '../../api/node-client.ts';
import { WHOLE_NETWORK } from '../../domain/network-word.ts';
import type { OrderPlan, OrderRequest } from '../../domain/order-request.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { askLine, isInteractive } from '../../platform/terminal.ts';
import type { Call } from '../command.ts';
import { visible } from '../output/visible.ts';
import type { PlannedRequest } from './plan-with-agent.ts';

/**
 * Asks a person about paths and network beyond the configured bounds. Without a terminal the refusal stands; --yes
 * answers for an order in words only, because a program's order names its paths itself.
 */
export async function askBeyond(call: Call, client: NodeClient, planned: PlannedRequest): Promise<PlannedRequest> {
  const isTerminal = isInteractive() && !call.flags.json;
  if (!isRefusal(planned.plan) || planned.plan.code !== 'E_PERMISSION_DENIED') return planned;
  if (!isTerminal && !call.flags.yes) return planned;
  const plan = await planWithoutBounds(client, planned.request);
  if (plan === null) return planned;
  const { readPaths, writePaths, isWholeNetwork } = plan.beyond;
  const paths = [...readPaths, ...writePaths].map((path) => resolve(plan.workspace, path));
  if (paths.length === 0 && !isWholeNetwork) return planned;
  const isAgreed = call.flags.yes ? !plan.isProgram : await isYesTo(plan);
  if (!isAgreed) return planned;
  const { allow = [], net = [] } = planned.request;
  const request = {
    ...planned.request,
    allow: [...allow, ...paths],
    net: isWholeNetwork ? [...net, WHOLE_NETWORK] : net,
  };
  return { request, plan: await client.planOrder(request) };
}

/** The plan as it would be if everything were allowed; null if something else forbids the order. */
async function planWithoutBounds(client: NodeClient, request: OrderRequest): Promise<OrderPlan | null> {
  const anywhere = { ...request, allow: ['/'] };
  const plan = await client.planOrder(anywhere);
  if (!isRefusal(plan)) return plan;
  const online = await client.planOrder({ ...anywhere, net: [...(request.net ?? []), WHOLE_NETWORK] });
  return isRefusal(online) ? null : online;
}

async function isYesTo({ beyond: { readPaths, writePaths, isWholeNetwork } }: OrderPlan): Promise<boolean> {
  const asked = [
    ...readPaths.map((path) => `read ${visible(path)}`),
    ...writePaths.map((path) => `read and write ${visible(path)}`),
    ...(isWholeNetwork ? ['use the whole network'] : []),
  ];
  const line = await askLine(`the task asks to ${asked.join(', to ')}. Allow it? [y/N] `);
  return /^y(es)?$/i.test(line?.trim() ?? '');
}
