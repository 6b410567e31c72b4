import { isAbsolute } from 'node:path';
import type { PlanWorld } from '../../dispatch/run-world.ts';
import { type TakenOrder, takeOrder } from '../../dispatch/take-order.ts';
import type { WantedOrder } from '../../dispatch/wanted-order.ts';
import { refuseNetworkWords } from '../../domain/network-word.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { Ids } from '../../platform/ids.ts';
import type { OrderRequest } from '../order-contract.ts';

export interface RequestParts {
  readonly world: PlanWorld;
  readonly ids: Ids;
  /** Null where there is no ledger to look into. */
  readonly read: Reader | null;
  /** The hosts behind the names of presets. */
  hostsOf(presets: readonly string[]): readonly string[];
}

/** What a request comes to. */
export async function takeRequest(parts: RequestParts, request: OrderRequest): Promise<TakenOrder | Refusal> {
  if (!isAbsolute(request.workspace)) return refuse('invalid_argument', 'the workspace is a whole path', '/workspace');
  const refusal = refuseNetworkWords(request.net ?? []);
  if (refusal) return refusal;
  return await takeOrder(parts.world, wantedOf(request, parts.hostsOf), parts);
}

function wantedOf(request: OrderRequest, hostsOf: RequestParts['hostsOf']): WantedOrder {
  return {
    text: request.text,
    workspace: request.workspace,
    agent: request.agent ?? null,
    checks: request.checks ?? [],
    timeoutSeconds: request.timeoutSeconds ?? null,
    budgetUsd: request.budgetUsd ?? null,
    hosts: hostsOf(request.net ?? []),
    wantsWorktree: request.worktree ?? false,
    origin: 'CLI',
  };
}
