import { decideOrder, textOfWords } from '../../domain/decisions/decide-order.ts';
import { type Execution, replay } from '../../domain/execution/execution.ts';
import type { OrderNotes } from '../../domain/execution/fact.ts';
import { ORIGIN_BY_HAND } from '../../domain/order.ts';
import type { OrderFlags } from '../../domain/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Round } from '../../domain/round.ts';
import { checksOfTask, type TaskName } from '../../domain/task.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectExecution, selectFacts } from '../../ledger/statements/run-facts.ts';
import { selectTask } from '../../ledger/statements/tasks.ts';
import { orderTask } from '../../operations/order-rounds.ts';
import { usualWorkspace } from '../../workspace/find-repository.ts';
import type { OpenOrder } from '../order-store.ts';
import type { RunWorld } from '../run-world.ts';
import { presentWorkspace } from '../work/recorded-workspace.ts';
import { decideAgain, termsOf } from './order-terms.ts';
import { askedFor, EvidenceRouter } from './route-by-evidence.ts';

/** Creates the order of a task that was created by hand or is retried. False if the task is no longer ready. */
export async function ensureOrder(world: RunWorld, taskId: TaskName): Promise<boolean> {
  const { ledger } = world;
  if (selectOrder(ledger.read, taskId)?.isOpen) return true;
  return !isRefusal(await ledger.submit(orderTask, { taskId, ...(await roundOf(world, taskId)) }));
}

type AgentOf = (taskId: TaskName) => string | null;

/** Chooses the agents of tasks made by hand that leave the choice to evidence, which is read once; null where none is ready. */
export function handRouter(world: RunWorld): AgentOf {
  const router = new EvidenceRouter(world, world.ledger.read);
  return (taskId) => roundByHand(world, taskId, router).notes?.routing?.agent ?? null;
}

/** The next round of a task: the same text and flags, with the configuration of now. */
export async function roundOf(world: RunWorld, taskId: TaskName): Promise<Round> {
  const { read } = world.ledger;
  const earlier = selectOrder(read, taskId);
  const facts = earlier === null ? [] : selectFacts(read, earlier);
  const [first, second] = facts;
  if (earlier === null || first?.kind !== 'ordered') return roundByHand(world, taskId);
  const { provenance } = earlier;
  if (provenance === null && first.order.origin === ORIGIN_BY_HAND) return roundByHand(world, taskId);
  const notes = second?.kind === 'admitted' ? notesOf(second) : first.notes;
  const request = first.request && (await requestHere(world, first.request, replay(facts)));
  const router = new EvidenceRouter(world, read);
  const decided = decideAgain(world, router, { ...first, ...(request && { request }), provenance });
  const { order: again, message } = isRefusal(decided) ? first : decided;
  const sent = { provenance, ...(message !== undefined && { message }) };
  return { order: again, ...sent, ...(request && { request }), ...(notes && { notes }) };
}

/** In a copied or moved repository the work is there; what cannot go on there is refused by its admission. */
async function requestHere({ dataFolder }: RunWorld, request: OrderFlags, execution: Execution): Promise<OrderFlags> {
  const asked = { workspaceRoot: request.workspace, isBound: false };
  const workspace = await presentWorkspace(asked, execution, dataFolder);
  return isRefusal(workspace) ? request : { ...request, workspace };
}

/** Refuses a retry that names the paths of the repository that this one is a copy of. */
export async function refuseRetry({ ledger, dataFolder }: RunWorld, open: OpenOrder): Promise<Refusal | null> {
  const { workspaceRoot } = open.execution.order;
  if (open.round === 1) return null;
  const earlier = selectExecution(ledger.read, { taskId: open.task.id, round: open.round - 1 });
  const workspace = await presentWorkspace({ workspaceRoot, isBound: true }, earlier, dataFolder);
  return isRefusal(workspace) ? workspace : null;
}

/** The next admission finds out again whether there is a sandbox. */
function notesOf({ warnings, fallback }: OrderNotes): OrderNotes {
  return { warnings: warnings.filter(({ kind }) => kind !== 'not-sandboxed'), fallback };
}

/** The order of a task that was created by hand: its title and body. */
function roundByHand(
  world: RunWorld,
  taskId: TaskName,
  router: EvidenceRouter = new EvidenceRouter(world, world.ledger.read),
): Round {
  const task = selectTask(world.ledger.read, taskId);
  if (!task) throw new Error(`there is no task ${taskId}`);
  const request = {
    workspace: usualWorkspace(world.dataFolder),
    agent: task.routing.agent ?? '',
    checks: checksOfTask(task),
  };
  const words = [task.title, task.body.trim()].filter(Boolean).join('\n\n');
  const usual = termsOf(world, request);
  const terms = { ...usual, sessionId: task.sessionId ?? usual.sessionId, taskId, origin: ORIGIN_BY_HAND };
  const text = textOfWords(words, terms);
  const routed = router.decide(text, terms);
  const sent = { provenance: null, message: null };
  // Where no agent is ready, its admission says so.
  if (isRefusal(routed)) return { order: decideOrder(text, terms), request, ...sent };
  const { order, routing } = routed;
  const notes = routing && { notes: { warnings: [], fallback: null, routing } };
  return { order, request: askedFor(request, routed), ...sent, ...notes };
}
