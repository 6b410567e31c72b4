import type { TakenOrder } from '../../dispatch/take-order.ts';
import type { Submission } from '../../operations/submit-order.ts';
import { encodeAop } from '../../protocols/aop/encode.ts';
import type { OrderPlan } from '../order-contract.ts';
import { newTaskOf } from './new-task-of-order.ts';
import { unaskedRisks } from './unasked-risks.ts';

/** What is kept of an order that is taken: its task, the message, and who is to do it. */
export function submissionOf(taken: TakenOrder, plan: OrderPlan, reviewRequired: boolean): Submission {
  const { message, order, settings, admitted } = taken;
  return {
    task: newTaskOf(taken, reviewRequired),
    order: { sessionId: order.sessionId, senderTaskId: order.taskId, message: encodeAop(message), settings },
    admitted: { ...admitted, warnings: [...admitted.warnings, ...unaskedRisks(plan)] },
  };
}
