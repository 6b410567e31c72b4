import { splitAddress } from '../../domain/federation/choose-recipients.ts';
import type { Route } from '../../domain/federation/route-task.ts';
import type { OrderRequest } from '../../domain/order/order-request.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { receiverName } from '../../domain/remote/sent-terms.ts';
import { routeFor } from '../../federation/capabilities/find-route.ts';
import type { Federation } from '../../federation/federation.ts';
import { TransportFault } from '../../federation/transport.ts';
import { acceptOrder } from '../../orders/accept-order.ts';
import type { OrderWorld } from '../../orders/order-world.ts';
import { packTask } from '../../protocols/aop/sent-task.ts';
import { planSentOrder, readSentOrder, type SentDraft } from './plan-sent-order.ts';
import { submitSentOrder } from './send-order.ts';
import type { SenderCaller, SenderCalls } from './sender-calls.ts';

interface RequestParts {
  readonly world: OrderWorld;
  federation(): Promise<Federation | Refusal>;
}

/** A request with its route. */
interface RoutedRequest {
  readonly draft: SentDraft;
  readonly routes: readonly Route[];
  /** The agent here that does it, where this node is among the targets; null for another node's. */
  readonly here: string | null;
}

/** Requests for orders that other nodes are to run. */
export class SenderRequests implements SenderCalls {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  readonly plan: SenderCalls['plan'] = async (request) => {
    const { world } = this.#parts;
    const routed = await this.#routed(request, {});
    if (isRefusal(routed)) return routed;
    const { planRequest } = await import('../../orders/accept-order.ts');
    if (routed.here !== null) return await planRequest(world, hereRequest(request, routed.here), world.ledger.read);
    return await planSentOrder(world, routed.draft, routed.routes.map(receiverName));
  };

  readonly submit: SenderCalls['submit'] = async (request, caller = {}) => {
    const { world } = this.#parts;
    const { key, holder } = caller;
    const routed = await this.#routed(request, caller);
    if (isRefusal(routed)) return routed;
    const { draft, routes, here } = routed;
    if (here !== null) {
      return await acceptOrder(world, hereRequest(request, here), { ...(key && { key }), ...(holder && { holder }) });
    }
    const plan = await planSentOrder(world, draft, routes.map(receiverName));
    const { terms: _, ...round } = draft;
    // Ids and time differ each time: a repeated request is recognized by what was asked for.
    const answer = await world.ledger.submitOnce(key, (tx) => submitSentOrder(tx, round), request);
    return isRefusal(answer) ? answer : { ...answer, plan };
  };

  async #routed(request: OrderRequest, caller: SenderCaller): Promise<RoutedRequest | Refusal> {
    const { world } = this.#parts;
    try {
      const federation = await this.#parts.federation();
      if (isRefusal(federation)) return federation;
      const { nodeId, transport, isLocal } = federation.parts;
      if (!transport.isConnected) return refuse('broker_unreachable', 'the store of the federation does not answer');
      const requester = caller.holder?.agent ?? caller.requester ?? nodeId;
      if (requester !== nodeId && !isLocal(requester)) {
        return refuse('invalid_argument', `there is no agent ${requester} on this node`, '/requester');
      }
      const draft = readSentOrder(world, request, { ...caller, ledger: world.ledger.read, requester });
      if (isRefusal(draft)) return draft;
      const packed = draft.message ? packTask(draft.message, draft.order.workspaceRoot) : null;
      if (packed !== null && isRefusal(packed)) return packed;
      const found = await routeFor(federation, draft.terms);
      if (isRefusal(found)) return found;
      const own = found.routes.find(({ node }) => node === nodeId);
      const here = own ? (own.agent === nodeId ? '' : splitAddress(own.agent)[0]) : null;
      return { draft, routes: found.routes, here };
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error;
      return refuse('broker_unreachable', error.message);
    }
  }
}

/** This node is the first of those who could do it. */
function hereRequest({ on: _on, needs: _needs, deadlineSeconds: _deadline, ...request }: OrderRequest, agent: string) {
  return { ...request, ...(agent !== '' && { agent }) };
}
