import type { OrderTerms } from '../../../src/domain/order/decide-order.ts';
import type { Order } from '../../../src/domain/order/order.ts';
import { orderOfTask, type TaskReading } from '../../../src/protocols/aop/order-of-task.ts';
import type { TaskMessage } from '../../../src/protocols/aop/schema/task.ts';
import { sampleTask } from '../message/aop-samples.ts';
import { someTerms } from './some-terms.ts';

export function order(
  message: Partial<TaskMessage>,
  terms: Partial<OrderTerms> = {},
  reading: TaskReading = {},
): Order {
  return orderOfTask({ ...sampleTask(), ...message }, someTerms(terms), reading);
}

export function withTask(task: Partial<TaskMessage['task']>, terms: Partial<OrderTerms> = {}): Order {
  return orderOfTask(sampleTask(task), someTerms(terms));
}

export const TARGET = sampleTask().target;
