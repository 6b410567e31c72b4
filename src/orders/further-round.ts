import { type Execution, replay } from '../domain/execution/execution.ts';
import type { Fact, OrderNotes } from '../domain/execution/fact.ts';
import { type OrderTerms, type OrderText, textOfWords } from '../domain/order/decide-order.ts';
import { ORIGIN_BY_HAND, type Order, type Provenance } from '../domain/order/order.ts';
import { isToBeSent, type OrderFlags } from '../domain/order/order-request.ts';
import type { Round } from '../domain/order/round.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { checksOfTask, type Task } from '../domain/task/task.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectFacts } from '../ledger/statements/run-facts.ts';
import { presentWorkspace } from '../work/recorded-workspace.ts';
import { usualWorkspace } from '../workspace/find-repository.ts';
import { termsOf } from './order-terms.ts';
import type { OrderWorld } from './order-world.ts';
import type { EvidenceRouter } from './route-by-evidence.ts';

/** Flags that count for the first round of a task made by hand, in place of what the task says. */
export type HandFlags = Pick<OrderFlags, 'agent' | 'checks'>;

/** The next round of a task: the first one of its words as they are now, or the same text and flags once more. */
export async function nextRound(
  world: OrderWorld,
  router: EvidenceRouter,
  { task, asked = {} }: { readonly task: Task; readonly asked?: HandFlags },
): Promise<Round> {
  const { read } = world.ledger;
  const row = selectOrder(read, task.id);
  const facts = row === null ? [] : selectFacts(read, row);
  const [ordered] = facts;
  if (row === null || ordered?.kind !== 'ordered') return roundByHand(world, router, { task, asked });
  const { provenance } = row;
  if (provenance === null && ordered.order.origin === ORIGIN_BY_HAND)
    return roundByHand(world, router, { task, asked });
  const execution = replay(facts);
  const flags = ordered.request && (await flagsHere(world, ordered.request, execution));
  return roundAgain(world, router, { ordered, execution, provenance, flags });
}

/** In a copied or moved repository the work is there; what cannot continue there is refused by its admission. */
async function flagsHere({ dataFolder }: OrderWorld, flags: OrderFlags, execution: Execution): Promise<OrderFlags> {
  const asked = { workspaceRoot: flags.workspace, isBound: false };
  const workspace = await presentWorkspace(asked, execution, dataFolder);
  return isRefusal(workspace) ? flags : { ...flags, workspace };
}

/** The first round of a task that was made by hand: its title and body are words, whatever they look like. */
export function roundByHand(
  world: OrderWorld,
  router: EvidenceRouter,
  { task, asked = {} }: { readonly task: Task; readonly asked?: HandFlags },
): Round {
  const { agent = task.routing.agent, checks = checksOfTask(task) } = asked;
  const flags = { workspace: usualWorkspace(world.dataFolder), agent, checks };
  const usual = termsOf(world, flags);
  const known = { sessionId: task.sessionId ?? usual.sessionId, taskId: task.id, origin: ORIGIN_BY_HAND };
  const terms = { ...usual, ...known };
  const words = [task.title, task.body.trim()].filter(Boolean).join('\n\n');
  return router.decide(textOfWords(words, terms), terms, flags);
}

interface EarlierOrder {
  readonly ordered: Extract<Fact, { readonly kind: 'ordered' }>;
  readonly execution: Execution;
  readonly provenance: Provenance;
  /** Undefined where an older Baton did not record them. */
  readonly flags: OrderFlags | undefined;
}

/** A further round of an order: the same text, with these flags and the present configuration. */
export function roundAgain(
  world: OrderWorld,
  router: EvidenceRouter,
  { ordered, execution: { order, admitted }, provenance, flags }: EarlierOrder,
): Round {
  let unread: Refusal | null = null;
  if (flags !== undefined) {
    const { sessionId, taskId, origin, target } = order;
    const named = { ...flags, agent: flags.agent ?? target.agentName };
    const terms = { ...termsOf(world, named), sessionId, taskId, origin };
    // The text of a program names its agent itself.
    const said = provenance === null ? terms : { ...terms, agentName: flags.agent ?? null };
    const text = provenance === null ? sameWords(order, terms) : world.edge.readOrder(provenance.text, said);
    if (!isRefusal(text)) return toSameReceivers(order, router.decide(text, said, flags), flags);
    unread = text;
  }
  // An order whose flags are not known, or whose text only an older Baton could read, stays as it was.
  const { message } = ordered;
  const before = notesBefore(admitted ?? ordered.notes);
  const notes = unread === null ? before : withUnread(unread, before ?? { warnings: [], fallback: null });
  const sent = { provenance, ...(message !== undefined && { message }) };
  return { order, ...sent, ...(flags && { request: flags }), ...(notes && { notes }) };
}

/** An order for another node is for it again, unless its flags say otherwise; a deadline was for the round before. */
function toSameReceivers({ remote }: Order, round: Round, flags: OrderFlags): Round {
  if (!remote || !isToBeSent(flags)) return round;
  return { ...round, order: { ...round.order, remote: { ...remote, deadlineAt: null } } };
}

/** The sender learns that this round repeats the order of the one before, and why. */
function withUnread({ code, message }: Refusal, { warnings, ...notes }: OrderNotes): OrderNotes {
  const told = `its text cannot be read any more (${code}: ${message}); this round repeats the order as it was accepted before`;
  const others = warnings.filter((warning) => warning.message !== told);
  return { ...notes, warnings: [...others, { kind: 'message', code: null, path: null, message: told }] };
}

/** Words of a session file have more beside their flags. */
function sameWords({ objective, parentTaskId, priority, policy: { onFailure } }: Order, terms: OrderTerms): OrderText {
  return { ...textOfWords(objective, terms), parentTaskId, priority, policy: { executionPolicy: { onFailure } } };
}

/** The next admission finds out again whether there is a sandbox, and which risks there are. */
function notesBefore(notes: Pick<OrderNotes, 'warnings' | 'fallback'> | undefined): OrderNotes | null {
  if (notes === undefined) return null;
  const { warnings, fallback } = notes;
  return { warnings: warnings.filter(({ kind }) => kind !== 'not-sandboxed' && kind !== 'unasked'), fallback };
}
