import { type OrderTerms, type OrderText, textOfWords } from '../../domain/decisions/decide-order.ts';
import type { Fact, OrderNotes } from '../../domain/execution/fact.ts';
import { ORIGIN_BY_HAND, type Order, type Provenance, type SentMessage } from '../../domain/order.ts';
import type { OrderFlags, OrderRequest } from '../../domain/order-request.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { checksOfTask, type Task } from '../../domain/task.ts';
import { usualWorkspace } from '../../workspace/find-repository.ts';
import type { DecodedMessage } from '../order-edge.ts';
import type { PlanWorld } from '../plan-world.ts';
import { termsOf } from './order-terms.ts';

/** An order that was read and is not decided yet. */
export type OrderSource =
  | {
      readonly kind: 'text';
      readonly text: OrderText;
      /** The caller's, for this round and for later ones. */
      readonly flags: OrderFlags;
      /** Made of these flags and the present configuration. */
      readonly terms: OrderTerms;
    }
  /** A further round of an order whose flags an older Baton did not record, or whose text it alone could read. */
  | {
      readonly kind: 'as-before';
      readonly order: Order;
      readonly provenance: Provenance;
      readonly message?: SentMessage;
      readonly flags?: OrderFlags;
      readonly notes?: OrderNotes;
    };

/** A new order. `decoded` is its message, where its receiver has decoded it. */
export function readRequest(
  world: PlanWorld,
  { text: given, ...flags }: OrderRequest,
  decoded?: DecodedMessage,
): OrderSource | Refusal {
  const terms = termsOf(world, flags);
  const text = world.edge.readOrder(given, terms, decoded);
  return isRefusal(text) ? text : { kind: 'text', text, flags, terms };
}

export interface EarlierOrder {
  readonly ordered: Extract<Fact, { readonly kind: 'ordered' }>;
  readonly admitted: Pick<OrderNotes, 'warnings' | 'fallback'> | null;
  readonly provenance: Provenance;
}

/** A further round: the same text, with these flags and the present configuration. */
export function readAgain(
  world: PlanWorld,
  { ordered, admitted, provenance }: EarlierOrder,
  flags: OrderFlags | undefined,
): OrderSource {
  const { order, message } = ordered;
  if (flags !== undefined) {
    const { sessionId, taskId, origin, target } = order;
    const named = { ...flags, agent: flags.agent ?? target.agentName };
    const terms = { ...termsOf(world, named), sessionId, taskId, origin };
    // The text of a program names its agent itself.
    const said = provenance === null ? terms : { ...terms, agentName: flags.agent ?? null };
    const text = provenance === null ? sameWords(order, terms) : world.edge.readOrder(provenance.text, said);
    if (!isRefusal(text)) return { kind: 'text', text, flags, terms: said };
  }
  const notes = notesBefore(admitted ?? ordered.notes);
  return {
    kind: 'as-before',
    order,
    provenance,
    ...(message !== undefined && { message }),
    ...(flags && { flags }),
    ...(notes && { notes }),
  };
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

/** The first round of a task that was made by hand: its title and body are words, whatever they look like. */
export function readByHand(
  world: PlanWorld,
  task: Task,
  asked: Pick<OrderFlags, 'agent' | 'checks'> = {},
): OrderSource {
  const { agent = task.routing.agent, checks = checksOfTask(task) } = asked;
  const flags = { workspace: usualWorkspace(world.dataFolder), agent, checks };
  const usual = termsOf(world, flags);
  const known = { sessionId: task.sessionId ?? usual.sessionId, taskId: task.id, origin: ORIGIN_BY_HAND };
  const terms = { ...usual, ...known };
  const words = [task.title, task.body.trim()].filter(Boolean).join('\n\n');
  return { kind: 'text', text: textOfWords(words, terms), flags, terms };
}
