import { type Execution, replay } from '../../domain/execution/execution.ts';
import { ORIGIN_BY_HAND } from '../../domain/order.ts';
import type { OrderFlags } from '../../domain/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { delegationDepth, type Task } from '../../domain/task.ts';
import { isTerminal } from '../../domain/task-lifecycle.ts';
import { selectOrder } from '../../ledger/statements/orders.ts';
import { selectFacts } from '../../ledger/statements/run-facts.ts';
import type { RunWorld } from '../run-world.ts';
import { presentWorkspace } from '../work/recorded-workspace.ts';
import { type OrderSource, readAgain, readByHand } from './order-source.ts';
import { EvidenceRouter } from './route-by-evidence.ts';
import { type TakenOrder, takeOrder } from './take-order.ts';

/** Flags that count for the first round of a task made by hand, in place of what the task says. */
export type HandFlags = Pick<OrderFlags, 'agent' | 'checks'>;

/** Takes in the next round of a task for a caller: its first one, or the same order once more. */
export async function takeNextRound(world: RunWorld, task: Task, asked: HandFlags = {}): Promise<TakenOrder | Refusal> {
  const ledger = world.ledger.read;
  const context = { ledger, router: new EvidenceRouter(world, ledger), depth: delegationDepth(task) };
  const source = await nextSource(world, task, asked);
  // A task in a final status stays as it is, and a new one takes its place.
  return await takeOrder(world, source, { ...context, ...(!isTerminal(task.status) && { task }) });
}

/** The next round of a task, from its first: the same text and flags, or its words as they are now. */
export async function nextSource(world: RunWorld, task: Task, asked: HandFlags = {}): Promise<OrderSource> {
  const { read } = world.ledger;
  const row = selectOrder(read, task.id);
  const facts = row === null ? [] : selectFacts(read, row);
  const [ordered, second] = facts;
  if (row === null || ordered?.kind !== 'ordered') return readByHand(world, task, asked);
  const { provenance } = row;
  if (provenance === null && ordered.order.origin === ORIGIN_BY_HAND) return readByHand(world, task, asked);
  const admitted = second?.kind === 'admitted' ? second : null;
  const flags = ordered.request && (await flagsHere(world, ordered.request, replay(facts)));
  return readAgain(world, { ordered, admitted, provenance }, flags);
}

/** In a copied or moved repository the work is there; what cannot go on there is refused by its admission. */
async function flagsHere({ dataFolder }: RunWorld, flags: OrderFlags, execution: Execution): Promise<OrderFlags> {
  const asked = { workspaceRoot: flags.workspace, isBound: false };
  const workspace = await presentWorkspace(asked, execution, dataFolder);
  return isRefusal(workspace) ? flags : { ...flags, workspace };
}
