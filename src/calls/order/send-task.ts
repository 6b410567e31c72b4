import type { OrderRequest } from '../../domain/order/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Federation } from '../../federation/federation.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import type { SenderCaller, SenderCalls } from '../../remote/sender/sender-calls.ts';
import { begin, type OrderParts } from './order-records.ts';

/** Behind an import of their own: most nodes send no tasks. */
export function senderRequests(world: OrderWorld, federation: () => Promise<Federation | Refusal>): SenderCalls {
  const loaded = async () => {
    const { SenderRequests } = await import('../../remote/sender/sender-requests.ts');
    return new SenderRequests({ world, federation });
  };
  return {
    plan: async (request) => await (await loaded()).plan(request),
    submit: async (request, caller) => await (await loaded()).submit(request, caller),
  };
}

type SendTask = (request: OrderRequest, caller: SenderCaller) => ReturnType<SenderCalls['submit']>;

/** Creates tasks that other nodes are to run, and has them sent. */
export function taskSender(parts: OrderParts): SendTask {
  return async (request, caller) => {
    const answer = await parts.remote.submit(request, caller);
    if (!isRefusal(answer)) await begin(parts, answer.task);
    return answer;
  };
}
