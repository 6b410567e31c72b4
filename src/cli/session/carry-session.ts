import type { NodeClient } from '../../api/node-client.ts';
import type { SessionAnswer } from '../../api/session/session-contract.ts';
import type { CallOptions } from '../../api/task/task-view.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { SessionPlan, SessionRequest } from '../../domain/session/session-request.ts';
import { isInteractive } from '../../platform/terminal.ts';
import { answerOfCall, refused } from '../answer-of-call.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Answer, Call } from '../command.ts';
import { aboutRisk, askAll } from '../order/confirm-plan.ts';
import type { OrderNode } from '../order/order-node.ts';
import { leave } from '../order/submit-order.ts';
import { printText } from '../output/print.ts';
import { styleOf } from '../output/style.ts';
import { followSessionToEnd } from './follow-session-to-end.ts';
import { sessionPlanText } from './session-text.ts';

/** Plans a session, asks what a person has to confirm, submits it, and follows it to its end. */
export async function carrySession(
  call: Call,
  node: OrderNode,
  { asked, options }: { readonly asked: SessionRequest; readonly options: CallOptions },
): Promise<Answer<unknown>> {
  try {
    const plan = await node.client.planSession(asked);
    if (isRefusal(plan)) return await leave(node, refused(plan));
    await agreeOnSession(call, plan);
    const taken = await node.client.submitSession(asked, options);
    if (isRefusal(taken)) return await leave(node, refused(taken));
    const { session_id: session } = taken;
    if (call.flags.detach) {
      const next = () => detachedSessionText(session, folderFlagOf(call));
      return await leave(node, answerOfCall(taken, { say: () => `session ${session} is queued`, next }));
    }
    return followSessionToEnd(call, node, { session, after: await eventBefore(node.client, taken) });
  } catch (error) {
    await node.close();
    throw error;
  }
}

/** The number before the first event of what was submitted: earlier tasks of the same session are not shown again. */
async function eventBefore(client: NodeClient, { tasks: [first] }: SessionAnswer): Promise<number> {
  const page = first === undefined ? null : await client.listEvents({ after: 0, task: first });
  const event = page === null || isRefusal(page) ? undefined : page.events[0];
  return event === undefined ? 0 : event.eventId - 1;
}

export function detachedSessionText(session: string, folderFlag: string): string {
  return [
    `next: baton session show ${session}${folderFlag}  what runs and what is done`,
    `next: baton session stop ${session}${folderFlag}  stop it`,
  ].join('\n');
}

/** Asks a person about the risks of a session. Without a terminal a risk is refused; --yes agrees to all. */
async function agreeOnSession(call: Call, plan: SessionPlan): Promise<void> {
  await askAll(plan.risks.map(aboutRisk), {
    isYes: Boolean(call.flags.yes),
    isTerminal: isInteractive() && !call.flags.json,
    beforeAsking: () => printText(sessionPlanText(plan, styleOf(call))),
  });
}
