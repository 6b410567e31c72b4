import { refuseNeeds } from '../domain/order/admit-bounds.ts';
import type { OrderAdmission } from '../domain/order/admit-order.ts';
import { isOfProgram } from '../domain/order/round.ts';
import { isRefusal, type Refusal, type RefusalCode } from '../domain/refusal.ts';
import { delegationDepth, type Task, type TaskName } from '../domain/task/task.ts';
import { isTerminal } from '../domain/task/task-lifecycle.ts';
import { selectSentTask } from '../ledger/statements/federation/sent-tasks.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectExecution } from '../ledger/statements/run-facts.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { orderTask } from '../operations/order/order-rounds.ts';
import type { OpenOrder } from '../operations/order/order-store.ts';
import { presentWorkspace } from '../work/recorded-workspace.ts';
import { admitRound } from './admit.ts';
import { type HandFlags, nextRound, roundByHand } from './further-round.ts';
import type { OrderWorld } from './order-world.ts';
import { notesOn, planOrder } from './plan-order.ts';
import { EvidenceRouter } from './route-by-evidence.ts';
import { type TakenRound, takeRound } from './take-round.ts';

/**
 * Creates the order of a task that was created by hand or is retried. False if the task is of nobody, if somebody moved or ordered
 * it meanwhile, or the disk is full, which an incident tells: the next tick looks again. Any other refusal would leave the task
 * ready without a word, so it is thrown.
 */
export async function ensureOrder(world: OrderWorld, taskId: TaskName): Promise<boolean> {
  const { ledger } = world;
  if (selectOrder(ledger.read, taskId)?.isOpen) return true;
  const task = selectTask(ledger.read, taskId);
  const isSent = selectSentTask(ledger.read, taskId) !== null;
  // Nobody but a person chooses the agent of a task that names none; that of another node is chosen when it is sent.
  if (!task || !(task.routing.agent || isSent)) return false;
  const round = await nextRound(world, new EvidenceRouter(world, ledger.read), { task });
  const answer = await ledger.submit(orderTask, { taskId, ...round });
  if (isRefusal(answer) && !MEANWHILE.has(answer.code))
    throw new Error(`the order of ${taskId} was refused (${answer.code}): ${answer.message}`);
  return !isRefusal(answer);
}

const MEANWHILE: ReadonlySet<RefusalCode> = new Set([
  ...(['task_not_found', 'invalid_transition', 'already_claimed', 'storage_full'] as const),
]);

type AgentOf = (taskId: TaskName) => string | null;

/** Chooses the agents of tasks made by hand that leave the choice to evidence, which is read once; null where none is ready. */
export function handRouter(world: OrderWorld): AgentOf {
  const router = new EvidenceRouter(world, world.ledger.read);
  return (taskId) => {
    const task = selectTask(world.ledger.read, taskId);
    return task ? (roundByHand(world, router, { task }).notes?.routing?.agent ?? null) : null;
  };
}

/** Takes in the next round of a task for a caller: its first one, or the same order once more. */
export async function takeNextRound(
  world: OrderWorld,
  task: Task,
  asked: HandFlags = {},
): Promise<TakenRound | Refusal> {
  const ledger = world.ledger.read;
  const round = await nextRound(world, new EvidenceRouter(world, ledger), { task, asked });
  const context = { ledger, depth: delegationDepth(task) };
  // A task in a final status stays as it is, and a new one takes its place.
  return await takeRound(world, round, { ...context, ...(!isTerminal(task.status) && { task }) });
}

/** Admits an order that the dispatcher began by itself, when it starts. */
export async function admitBegun(world: OrderWorld, open: OpenOrder): Promise<OrderAdmission['admitted'] | Refusal> {
  const { task, provenance, orderedAt, execution } = open;
  const { order, notes, continues, message = world.edge.readStoredMessage(order, provenance, orderedAt) } = execution;
  const refusal = await refuseCopied(world, open);
  if (refusal) return refusal;
  const admission = await admitRound(world, { order, message, ...(notes && { notes }) }, delegationDepth(task));
  if (isRefusal(admission)) return admission;
  const { admitted, needs } = admission;
  const lacking = refuseNeeds(order, needs);
  if (lacking) return lacking;
  if (!isOfProgram({ order, provenance })) return admitted;
  const round = { order, provenance, admitted, ...(continues && { continues }) };
  const plan = await planOrder(world, round, { ledger: world.ledger.read, task });
  // A missing worktree is refused by the step that makes it.
  if (isRefusal(plan)) return admitted;
  return { ...admitted, warnings: [...admitted.warnings, ...notesOn(order, plan, open.round > 1)] };
}

/** Refuses a retry that names the paths of the repository that this one is a copy of. */
async function refuseCopied({ ledger, dataFolder }: OrderWorld, open: OpenOrder): Promise<Refusal | null> {
  const { workspaceRoot } = open.execution.order;
  if (open.round === 1) return null;
  const earlier = selectExecution(ledger.read, { taskId: open.task.id, round: open.round - 1 });
  const workspace = await presentWorkspace({ workspaceRoot, isBound: true }, earlier, dataFolder);
  return isRefusal(workspace) ? workspace : null;
}
