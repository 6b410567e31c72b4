import { dirname } from 'node:path';
import { acceptOrder } from '../../dispatch/orders/accept-order.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { decodeProgress } from '../../protocols/aop/agent-signals.ts';
import { AopCalls } from './aop-calls.ts';
import type { OrderParts } from './order-calls.ts';

/** Messages about orders, and from those who carry them out. */
export function orderMessages(parts: OrderParts): AopCalls {
  const { world, runner, dispatcher } = parts;
  return new AopCalls({
    ledger: world.ledger,
    order: async (text, { key }) => {
      // A TASK names its own workspace; the folder is for what names none.
      const request = { text, workspace: dirname(world.dataFolder) };
      const answer = await acceptOrder(world, request, key === undefined ? {} : { key });
      if (!isRefusal(answer)) dispatcher?.nudge();
      return answer;
    },
    received: (runId, event) => runner.receive(runId, decodeProgress(event) ?? { kind: 'beat' }),
  });
}
