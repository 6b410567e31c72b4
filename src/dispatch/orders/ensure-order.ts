import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { isOfProgram, type Round } from '../../domain/round.ts';
import { delegationDepth, type TaskName } from '../../domain/task.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectExecution } from '../../ledger/statements/run-facts.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import { orderTask } from '../../operations/order-rounds.ts';
import type { OpenOrder } from '../order-store.ts';
import type { RunWorld } from '../run-world.ts';
import { presentWorkspace } from '../work/recorded-workspace.ts';
import { admitRound } from './admit.ts';
import { nextSource } from './next-round.ts';
import { type OrderSource, readByHand } from './order-source.ts';
import { notesOn, planOrder } from './plan-order.ts';
import { EvidenceRouter } from './route-by-evidence.ts';
import { decideRound, undecidedRound } from './take-order.ts';

/** Creates the order of a task that was created by hand or is retried. False if the task is no longer ready, or of nobody. */
export async function ensureOrder(world: RunWorld, taskId: TaskName): Promise<boolean> {
  const { ledger } = world;
  if (selectOrder(ledger.read, taskId)?.isOpen) return true;
  const task = selectTask(ledger.read, taskId);
  // Nobody but a person chooses the agent of a task that names none.
  if (!task?.routing.agent) return false;
  const source = await nextSource(world, task);
  const round = begunRound(source, new EvidenceRouter(world, ledger.read));
  return !isRefusal(await ledger.submit(orderTask, { taskId, ...round }));
}

type AgentOf = (taskId: TaskName) => string | null;

/** Chooses the agents of tasks made by hand that leave the choice to evidence, which is read once; null where none is ready. */
export function handRouter(world: RunWorld): AgentOf {
  const router = new EvidenceRouter(world, world.ledger.read);
  return (taskId) => {
    const task = selectTask(world.ledger.read, taskId);
    return task ? (begunRound(readByHand(world, task), router).notes?.routing?.agent ?? null) : null;
  };
}

/** A round that nobody asks about: where no agent is ready for it, its admission says so. */
function begunRound(source: OrderSource, router: EvidenceRouter): Round {
  const decided = decideRound(source, router);
  if (!isRefusal(decided)) return decided;
  if (source.kind !== 'text') throw new Error(`an order that stays as it was is refused: ${decided.message}`);
  return undecidedRound(source);
}

/** Admits an order that the dispatcher began by itself, when it starts. */
export async function admitBegun(world: RunWorld, open: OpenOrder): ReturnType<typeof admitRound> {
  const { task, provenance, orderedAt, execution } = open;
  const { order, notes, continues, message = world.edge.readStoredMessage(order, provenance, orderedAt) } = execution;
  const refusal = await refuseCopied(world, open);
  if (refusal) return refusal;
  const admitted = await admitRound(world, { order, message, ...(notes && { notes }) }, delegationDepth(task));
  if (isRefusal(admitted) || !isOfProgram({ order, provenance })) return admitted;
  const round = { order, provenance, admitted, ...(continues && { continues }) };
  const plan = await planOrder(world, round, { ledger: world.ledger.read, task });
  // A missing worktree is refused by the step that makes it.
  if (isRefusal(plan)) return admitted;
  return { ...admitted, warnings: [...admitted.warnings, ...notesOn(order, plan, open.round > 1)] };
}

/** Refuses a retry that names the paths of the repository that this one is a copy of. */
async function refuseCopied({ ledger, dataFolder }: RunWorld, open: OpenOrder): Promise<Refusal | null> {
  const { workspaceRoot } = open.execution.order;
  if (open.round === 1) return null;
  const earlier = selectExecution(ledger.read, { taskId: open.task.id, round: open.round - 1 });
  const workspace = await presentWorkspace({ workspaceRoot, isBound: true }, earlier, dataFolder);
  return isRefusal(workspace) ? workspace : null;
}
