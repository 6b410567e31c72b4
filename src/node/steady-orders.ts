import type { OrderClient } from '../api/order-contract.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { SteadyLink } from './steady-link.ts';

/** A task, found once: @ and words may come to mean another one. */
export type FindTask = (reference: string) => Promise<string | Refusal>;

/** Orders through a link that outlives its node: what looks is asked again, what changes files is made once. */
export function steadyOrders(
  link: SteadyLink,
  keyOf: (options: { readonly key?: string }) => Promise<string>,
  find: FindTask,
): OrderClient {
  const about = async <Answer>(reference: string, ask: (id: string) => Promise<Answer>): Promise<Answer | Refusal> => {
    const id = await find(reference);
    return isRefusal(id) ? id : await ask(id);
  };
  return {
    planOrder: (request) => link.ask((client) => client.planOrder(request)),
    submitOrder: async (request, options = {}) => {
      const once = { key: await keyOf(options) };
      return await link.ask((client) => client.submitOrder(request, once));
    },
    orderReport: (reference) => link.ask((client) => client.orderReport(reference)),
    stopOrder: (reference, options = {}) =>
      about(reference, async (id) => {
        const once = { key: await keyOf(options) };
        return await link.ask((client) => client.stopOrder(id, once));
      }),
    readLog: (reference, after) => link.ask((client) => client.readLog(reference, after)),
    diffWork: (reference) => link.ask((client) => client.diffWork(reference)),
    applyWork: (reference, options) =>
      about(reference, (id) => link.ask((client) => client.applyWork(id, options), { isRepeatable: false })),
    discardWork: (reference) => about(reference, (id) => link.ask((client) => client.discardWork(id))),
    undoWork: (reference, options) =>
      about(reference, (id) => link.ask((client) => client.undoWork(id, options), { isRepeatable: false })),
    verifyWork: (reference) => link.ask((client) => client.verifyWork(reference)),
  };
}
