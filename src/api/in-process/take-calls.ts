import { isAbsolute } from 'node:path';
import type { ReadStoredOrder } from '../../dispatch/read-stored.ts';
import type { PlanWorld, RunWorld } from '../../dispatch/run-world.ts';
import { type TakenOrder, takeOrder, type WantedOrder } from '../../dispatch/take-order.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Reader } from '../../ledger/tx.ts';
import { type Submitted, submitOrder } from '../../operations/submit-order.ts';
import type { Ids } from '../../platform/ids.ts';
import { encodeAop } from '../../protocols/aop/encode.ts';
import type { OrderAnswer, OrderPlan, OrderRequest } from '../order-contract.ts';
import type { CallOptions } from '../task-view.ts';
import { viewTask } from '../views.ts';
import { newTaskOf } from './new-task-of-order.ts';
import { planOf } from './plan-of-order.ts';
import { submit } from './submit.ts';

export interface TakeParts {
  readonly world: RunWorld;
  readonly ids: Ids;
  readonly readStored: ReadStoredOrder;
  /** The hosts behind the names of presets. */
  hostsOf(presets: readonly string[]): readonly string[];
}

export async function planWanted(parts: TakeParts, request: OrderRequest): Promise<OrderPlan | Refusal> {
  const taken = await take(parts, request);
  return isRefusal(taken) ? taken : await planOf(parts.world, taken);
}

/** Takes the order, or refuses it whole: nothing is kept of what is not admitted. */
export async function submitWanted(
  parts: TakeParts,
  request: OrderRequest,
  options: CallOptions = {},
): Promise<OrderAnswer | Refusal> {
  const taken = await take(parts, request);
  if (isRefusal(taken)) return taken;
  const plan = await planOf(parts.world, taken);
  const { message, order, settings, admitted } = taken;
  const facts = {
    task: newTaskOf(taken, request.reviewRequired ?? false),
    order: { sessionId: order.sessionId, senderTaskId: order.taskId, message: encodeAop(message), settings },
    admitted,
  };
  // Ids and time are made anew each time: the same request again is known by what was asked for.
  const command: Command<OrderRequest, Submitted> = (tx) => submitOrder(tx, facts);
  const answer = await submit(parts.world.ledger, { command, facts: request }, options);
  return isRefusal(answer) ? answer : { task: viewTask(answer.task), plan };
}

async function take({ world, ids, hostsOf }: TakeParts, request: OrderRequest): Promise<TakenOrder | Refusal> {
  return await takeRequest({ world, ids, hostsOf, read: world.ledger.read }, request);
}

/** What a request comes to; `read` is null where there is no ledger to look into. */
export async function takeRequest(
  parts: Pick<TakeParts, 'ids' | 'hostsOf'> & { readonly world: PlanWorld; readonly read: Reader | null },
  request: OrderRequest,
): Promise<TakenOrder | Refusal> {
  if (!isAbsolute(request.workspace)) return refuse('invalid_argument', 'the workspace is a whole path', '/workspace');
  return await takeOrder(parts.world, wantedOf(request, parts.hostsOf), parts);
}

function wantedOf(request: OrderRequest, hostsOf: TakeParts['hostsOf']): WantedOrder {
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
