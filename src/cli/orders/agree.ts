import type { OrderPlan, OrderRequest } from '../../api/order-contract.ts';
import { isInteractive } from '../../platform/terminal.ts';
import type { Call } from '../command.ts';
import { agreeOn } from './ask-person.ts';

/** The questions of the plan; what was proposed and taken becomes a part of the order. */
export async function agree(call: Call, request: OrderRequest, plan: OrderPlan): Promise<OrderRequest> {
  const isTerminal = isInteractive() && !call.flags.json;
  const { takesSuggestedChecks } = await agreeOn(plan, { isYes: Boolean(call.flags.yes), isTerminal });
  const checks = takesSuggestedChecks ? plan.suggestedChecks : (request.checks ?? []);
  return { ...request, agent: plan.isProgram ? (request.agent ?? null) : plan.agent.name, checks };
}
