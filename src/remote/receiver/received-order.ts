import { NETWORK_LEVELS } from '../../domain/order/access.ts';
import { decideOrder, textOfWords } from '../../domain/order/decide-order.ts';
import type { Order, UnpackedParcel } from '../../domain/order/order.ts';
import { POLICY_DEFAULTS } from '../../domain/order/policy.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { LEAST_GRANT, narrowGrant } from '../../domain/remote/admit-received.ts';
import type { OrderGrant } from '../../domain/remote/sent-terms.ts';
import type { Priority } from '../../domain/task/task.ts';
import type { NewTask } from '../../operations/task/create-task.ts';
import { termsOf } from '../../orders/order-terms.ts';
import type { PlanWorld } from '../../orders/plan-world.ts';
import { type TakenRound, takeRound } from '../../orders/take-round.ts';

/** A task of another node. Its words are words, whatever they look like; a TASK comes beside them. */
export interface ReceivedOrder {
  readonly source: string;
  readonly requester: string;
  readonly agent: string;
  readonly title: string;
  readonly words: string;
  /** The AOP TASK that it is, with the folder that was made for it as its workspace; null for words. */
  readonly task: string | null;
  readonly priority: Priority;
  /** Null where its sender tells none. */
  readonly grant: OrderGrant | null;
  readonly depth: number;
  /** The folder that was made for it, and the parcel that is in it. */
  readonly workspace: string;
  readonly parcel: UnpackedParcel;
}

/**
 * The order of a task of another node, admitted by the policy of this one. It always runs in a sandbox, in its own folder, with no more
 * than both nodes grant. Changes nothing.
 */
export async function admitReceived(
  world: PlanWorld,
  received: ReceivedOrder,
): Promise<(TakenRound & { readonly task: NewTask }) | Refusal> {
  const { workspace, agent, words, priority, depth, parcel } = received;
  if (words.trim() === '') return refuse('invalid-message', 'the task is empty');
  const { bounds, hosts, runUsdMax } = world.roster.settings();
  const timeoutSeconds = received.grant?.timeoutSeconds ?? POLICY_DEFAULTS.timeoutSeconds;
  const asked = received.grant ?? { ...LEAST_GRANT, timeoutSeconds };
  const grant = narrowGrant(asked, { network: bounds.network, hosts, budgetUsd: runUsdMax });
  const { checks, retries, budgetUsd } = grant;
  const flags = {
    ...{ workspace, agent, checks, retries, timeoutSeconds: grant.timeoutSeconds },
    ...(budgetUsd !== null && { budgetUsd }),
  };
  await world.roster.askVersions();
  const terms = {
    ...termsOf(world, flags),
    origin: 'RUNTIME',
    isSandboxDemanded: true,
    // The checks of this node's configuration are about its own projects.
    usualChecks: [],
    hosts: grant.hosts,
    checkHosts: grant.hosts,
    bounds: { allow: [], network: grant.network },
  };
  const text = received.task === null ? textOfWords(words, terms) : world.edge.readOrder(received.task, terms);
  if (isRefusal(text)) return text;
  const { provenance, message, notes } = text;
  const order = { ...withinGrant(decideOrder(text, terms), grant), priority, parcel };
  const round = { order, provenance, message, ...(notes && { notes }), request: flags };
  const taken = await takeRound(world, round, { ledger: null, depth });
  return isRefusal(taken) ? taken : { ...taken, task: taskOf(received, taken.admitted.agent) };
}

/** Neither other models nor tasks of its own: only the agent that was asked for works on it. */
function withinGrant(order: Order, { network }: OrderGrant): Order {
  const levels = [order.access.network, network].map((level) => NETWORK_LEVELS.indexOf(level));
  const least = order.isInWords ? network : (NETWORK_LEVELS[Math.min(...levels)] ?? 'NONE');
  return { ...order, access: { ...order.access, network: least }, alternatives: [], isDelegationAllowed: false };
}

function taskOf({ title, words, priority, source, requester, depth }: ReceivedOrder, agent: string | null): NewTask {
  return {
    title: [...title].slice(0, TITLE_CHARACTERS_MAX).join('').trim() || 'a task',
    body: words,
    priority,
    agent,
    role: null,
    team: null,
    tags: [],
    resource: null,
    parentId: null,
    dependsOn: [],
    metadata: { reviewRequired: false, ...(depth > 0 && { delegationDepth: depth }) },
    createdBy: requester === source ? source : `${requester}@${source}`,
  };
}

const TITLE_CHARACTERS_MAX = 200;
