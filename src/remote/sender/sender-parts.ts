import type { Outcome } from '../../domain/execution/fact.ts';
import { failureOfRefusal, isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { SentState } from '../../domain/remote/sent-fact.ts';
import type { SentTerms } from '../../domain/remote/sent-terms.ts';
import type { Federation } from '../../federation/federation.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { settleOrder } from '../../operations/order/settle-order.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Parcels } from '../parcels.ts';

/** The parts of a node that orders for other nodes need. */
export interface SenderParts {
  readonly ledger: Pick<Ledger, 'read' | 'submit'>;
  readonly clock: Clock;
  /** The content of work on its way between nodes. */
  parcels(): Promise<Parcels>;
}

/** An order for another node, with everything that is known about it. */
export type SentOrder = OpenOrder & { readonly remote: SentState; readonly terms: SentTerms };

export function sentOrder(order: OpenOrder): SentOrder {
  const { remote, order: asked } = order.execution;
  if (remote === null || !asked.remote) throw new Error(`${order.task.id} is for this node`);
  return { ...order, remote, terms: asked.remote };
}

/** The federation, while the store that the nodes share can be reached; null otherwise. */
export async function reached(open: () => Promise<Federation | Refusal>): Promise<Federation | null> {
  const federation = await open();
  return isRefusal(federation) || !federation.parts.transport.isConnected ? null : federation;
}

export async function settleSentOrder(
  { ledger }: SenderParts,
  { task }: OpenOrder,
  outcome: Outcome,
): Promise<boolean> {
  return !isRefusal(await ledger.submit(settleOrder, { taskId: task.id, outcome }));
}

export function outcomeOfRefusal(refusal: Pick<Refusal, 'code' | 'message'>): Outcome {
  return { verdict: 'failed', ...failureOfRefusal(refusal), attempts: [] };
}
