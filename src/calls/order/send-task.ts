import type { RunWorld } from '../../dispatch/run-world.ts';
import type { OrderRequest } from '../../domain/order/order-request.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { RuntimeParts } from '../../messages/receive-runtime.ts';
import type { RemoteCaller, RemoteCalls } from '../../remote/sender/sender-calls.ts';
import { begin, type OrderParts } from './order-records.ts';

/** Behind an import of their own: most nodes send no tasks. */
export function remoteRequests(world: RunWorld, federation: RuntimeParts['federation']): RemoteCalls {
  const loaded = async () => {
    const { RemoteRequests } = await import('../../remote/sender/sender-requests.ts');
    return new RemoteRequests({ world, federation });
  };
  return {
    plan: async (request) => await (await loaded()).plan(request),
    submit: async (request, caller) => await (await loaded()).submit(request, caller),
  };
}

type SendTask = (request: OrderRequest, caller: RemoteCaller) => ReturnType<RemoteCalls['submit']>;

/** Creates tasks that other nodes are to run, and has them sent. */
export function taskSender(parts: OrderParts): SendTask {
  return async (request, caller) => {
    const answer = await parts.remote.submit(request, caller);
    if (!isRefusal(answer)) await begin(parts, answer.task);
    return answer;
  };
}
