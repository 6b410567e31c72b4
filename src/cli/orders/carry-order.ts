import type { OrderReport } from '../../api/order-contract.ts';
import type { CallOptions } from '../../api/task-view.ts';
import type { OrderRequest } from '../../domain/order-request.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { answerOf, refused } from '../answers.ts';
import { folderFlagOf } from '../call-parts.ts';
import type { Answer, Call } from '../command.ts';
import { askBeyond } from './ask-beyond.ts';
import { followToEnd } from './follow-to-end.ts';
import { planWithAgent } from './plan-with-agent.ts';
import { agree } from './questions.ts';
import type { CarryingNode } from './serve-run.ts';

/** Plans an order, asks what a person has to confirm, submits it, and follows it to its end. */
export async function carryOrder(
  call: Call,
  node: CarryingNode,
  { asked, options }: { readonly asked: OrderRequest; readonly options: CallOptions },
) {
  try {
    const planned = await planWithAgent(call, node.client, asked);
    const { request, plan } = await askBeyond(call, node.client, planned);
    if (isRefusal(plan)) return await leave(node, refused(plan));
    const agreed = await agree(call, request, plan);
    const taken = await node.client.submitOrder(agreed.request, options);
    if (isRefusal(taken)) return await leave(node, refused(taken));
    if (call.flags.detach)
      return await leave(
        node,
        answerOf(taken, { say: detachedText, next: ({ task }) => detachedNext(task.id, folderFlagOf(call)) }),
      );
    return followToEnd(call, node, { ...taken, isPlanShown: agreed.isPlanShown });
  } catch (error) {
    await node.close();
    throw error;
  }
}

/** Closes the node after the answer. */
export async function leave<Value>(node: CarryingNode, answer: Answer<Value>): Promise<Answer<Value>> {
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

export function detachedNext(task: string, folderFlag: string): string {
  return [
    `next: baton logs ${task} -f${folderFlag}  follow its output`,
    `next: baton stop ${task}${folderFlag}     stop it`,
    `next: baton down${folderFlag}  stop the node, once the task is done`,
  ].join('\n');
}
