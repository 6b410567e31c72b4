import type { RunHolder } from '../../domain/channel.ts';
import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import type { Order } from '../../domain/order.ts';
import type { OrderPlan, OrderRequest } from '../../domain/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Created, NewTask } from '../../operations/create-task.ts';
import { submitOrder } from '../../operations/order-rounds.ts';
import { forgetRepositoryStatus } from '../../workspace/repository-status.ts';
import type { RunWorld } from '../run-world.ts';
import { notesOn, planOrder, titleOf } from './plan-order.ts';
import { type AdmittedOrder, takeOrder } from './take-order.ts';

/** Stores the order of a request, or refuses it whole: nothing of a refused order is stored. */
export async function acceptOrder(
  world: RunWorld,
  request: OrderRequest,
  { key, holder }: { readonly key?: string; readonly holder?: RunHolder } = {},
): Promise<(Created & { readonly plan: OrderPlan }) | Refusal> {
  const { ledger } = world;
  const taken = await takeOrder(world, request, { ledger: ledger.read, ...(holder && { holder }) });
  if (isRefusal(taken)) return world.edge.locate(taken);
  const plan = await planOrder(world, taken);
  forgetRepositoryStatus();
  if (isRefusal(plan)) return plan;
  const { order, provenance, message, admitted } = taken;
  const { text: _, ...flags } = request;
  const ordered = newTaskOf(taken, request.reviewRequired ?? false);
  const task = holder ? { ...ordered, parentId: holder.taskId, createdBy: holder.agent } : ordered;
  const warnings = [...admitted.warnings, ...notesOn(order, plan)];
  // Ids and time differ each time: a repeated request is recognized by what was asked for.
  const command: Command<OrderRequest, Created> = (tx) =>
    submitOrder(tx, {
      task,
      order: asPlanned(order, plan),
      request: flags,
      provenance,
      message,
      admitted: { ...admitted, warnings },
    });
  const answer = await (key === undefined ? ledger.submit(command, request) : ledger.submitOnce(key, command, request));
  return isRefusal(answer) ? world.edge.locate(answer) : { ...answer, plan };
}

/** A caller who was told of a worktree gets one, even if the workspace is free again when the order starts. */
function asPlanned(order: Order, { workplace }: OrderPlan): Order {
  return workplace === 'worktree' ? { ...order, worktree: { ...order.worktree, isPlanned: true } } : order;
}

/** The task of an order. It needs no review unless the order asks for one: its checks decide. */
export function newTaskOf({ order, depth, dependsOn, admitted }: AdmittedOrder, reviewRequired: boolean): NewTask {
  return {
    title: titleOf(order.objective),
    body: order.objective,
    priority: order.priority,
    agent: admitted.agent ?? admitted.alternatives.find((name) => name !== null) ?? null,
    role: null,
    team: null,
    tags: [],
    resource: null,
    parentId: null,
    dependsOn,
    metadata: { reviewRequired, ...(depth > 0 && { delegationDepth: depth }) },
    createdBy: OPERATOR,
  };
}
