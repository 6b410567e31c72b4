import type { OrderPlan, OrderRequest } from '../../api/order-contract.ts';
import { isInteractive } from '../../platform/terminal.ts';
import type { Call } from '../command.ts';
import { lookOf } from '../look-of.ts';
import { fold } from '../output/fold.ts';
import { planText } from '../output/plan-text.ts';
import { printText } from '../output/print.ts';
import { agreeOn } from './ask-person.ts';

export interface Agreed {
  /** What was proposed and taken is a part of it. */
  readonly request: OrderRequest;
  /** The person has seen the plan: it is not shown again. */
  readonly isPlanShown: boolean;
}

/** The questions of the plan, after the plan itself: nobody agrees to what they have not seen. */
export async function agree(call: Call, request: OrderRequest, plan: OrderPlan): Promise<Agreed> {
  const isTerminal = isInteractive() && !call.flags.json;
  let isPlanShown = false;
  const { takesSuggestedChecks } = await agreeOn(plan, {
    isYes: Boolean(call.flags.yes),
    isTerminal,
    beforeAsking: async () => {
      isPlanShown = true;
      const look = lookOf(call);
      await printText(fold(planText(plan, look), look.columns));
    },
  });
  const checks = takesSuggestedChecks ? plan.suggestedChecks : (request.checks ?? []);
  const agent = plan.isProgram ? (request.agent ?? null) : plan.agent.name;
  // Checks that were taken change the plan.
  return { request: { ...request, agent, checks }, isPlanShown: isPlanShown && !takesSuggestedChecks };
}
