import { OPERATOR } from '../../domain/decisions/decide-sender.ts';
import type { ContinueRequest, OrderPlan } from '../../domain/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { delegationDepth, type TaskName } from '../../domain/task.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import type { Created } from '../../operations/create-task.ts';
import { type ContinuedOrder, continueTask, leaveWait } from '../../operations/order-rounds.ts';
import type { RunWorld } from '../run-world.ts';
import { admitStep } from '../steps/admit-step.ts';
import { continuedRound, earlierRound, followUpOf } from './continued-round.ts';
import { planOrder, titleOf } from './plan-order.ts';

export interface ContinueOptions {
  readonly key?: string;
  report(task: TaskName): Promise<void>;
  /** Begins the round in its transaction; by default for an operator who continues it. */
  readonly begin?: Command<ContinuedOrder, Created>;
}

/**
 * Goes on with a task that is over, or that waits for its next attempt, for an operator. Nothing of a refused request is stored.
 * `report` reports an order that is settled.
 */
export async function continueOrder(
  world: RunWorld,
  request: ContinueRequest,
  { key, report, begin = continueTask }: ContinueOptions,
): Promise<(Created & { readonly plan: OrderPlan }) | Refusal> {
  const { ledger, edge } = world;
  const earlier = earlierRound(world, request.task);
  if (isRefusal(earlier)) return earlier;
  const round = continuedRound(world, earlier, request);
  const { order, provenance, message = null, continues } = round;
  const depth = delegationDepth(earlier.task);
  const admitted = await admitStep(world, { order, depth, warnings: [] });
  if (isRefusal(admitted)) return edge.locate(admitted);
  const isProgram = provenance !== null && !order.isInWords;
  const plan = await planOrder(world, { order, provenance, message, isProgram, depth, dependsOn: [], admitted });
  if (isRefusal(plan)) return plan;
  const { agent } = admitted;
  const task = {
    ...followUpOf(earlier, round, titleOf(request.text ?? earlier.task.title)),
    agent,
    createdBy: OPERATOR,
  };
  const asked: ContinuedOrder = { ...round, task, admitted, actor: OPERATOR };
  if (earlier.row.isOpen) {
    const left = await ledger.submit(leaveWait, asked);
    if (isRefusal(left)) return left;
    await report(earlier.task.id);
  }
  // Ids and time differ each time: a repeated request is recognized by what was asked for.
  const command: Command<ContinueRequest, Created> = (tx) => begin(tx, asked);
  const answer = await (key === undefined ? ledger.submit(command, request) : ledger.submitOnce(key, command, request));
  return isRefusal(answer) ? answer : { ...answer, plan: { ...plan, workplace: placeOf(continues, plan) } };
}

/** It works where the earlier round did, and waits if another task has that folder. */
function placeOf(continues: ContinuedOrder['continues'], { workplace }: OrderPlan): OrderPlan['workplace'] {
  if (continues.isInWorktree) return 'worktree';
  return workplace === 'worktree' && !continues.isTakenBack ? 'waits' : workplace;
}
