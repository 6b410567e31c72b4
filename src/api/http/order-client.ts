import type { Refusal } from '../../domain/refusal.ts';
import type { OrderClient } from '../order-contract.ts';
import type { NodeCall } from './call-node.ts';

type Call = (call: NodeCall) => Promise<object>;
type Answer<Name extends keyof OrderClient> = ReturnType<OrderClient[Name]>;

/** Orders, asked of a node in another process. Checks and git take as long as they take. */
export function orderCallsOver(call: Call, taskPath: (reference: string) => string): OrderClient {
  const look = (reference: string, what: string, query: NodeCall['query'] = {}) =>
    call({ method: 'GET', path: `${taskPath(reference)}/${what}`, query, isLong: true });
  const work = (path: string, body: unknown, key?: string): Promise<object | Refusal> =>
    call({ method: 'POST', path, body, key, isLong: true });
  return {
    planOrder: (request) => work('/v1/orders/plan', request) as Answer<'planOrder'>,
    submitOrder: (request, options) => work('/v1/orders', request, options?.key) as Answer<'submitOrder'>,
    orderReport: (reference) => look(reference, 'report') as Answer<'orderReport'>,
    stopOrder: (reference, options) => work(`${taskPath(reference)}/stop`, {}, options?.key) as Answer<'stopOrder'>,
    readLog: (reference, after) => look(reference, 'log', { after }) as Answer<'readLog'>,
    diffWork: (reference) => look(reference, 'diff') as Answer<'diffWork'>,
    applyWork: (reference, options = {}) => work(`${taskPath(reference)}/apply`, options) as Answer<'applyWork'>,
    discardWork: (reference) => work(`${taskPath(reference)}/discard`, {}) as Answer<'discardWork'>,
    undoWork: (reference, options = {}) => work(`${taskPath(reference)}/undo`, options) as Answer<'undoWork'>,
    verifyWork: (reference) => work(`${taskPath(reference)}/verify`, {}) as Answer<'verifyWork'>,
  };
}
