import { type Refusal, refuse } from '../refusal.ts';
import { compareVersions } from './capability.ts';
import { splitAddress } from './choose-recipients.ts';

/** An agent that a task is sent to, and the node that has it. */
export interface Route {
  readonly agent: string;
  readonly node: string;
  /** Null for an agent that no other node can take over. */
  readonly fence: number | null;
}

/** A node that a task could go to. */
export interface RouteNode {
  readonly isAlive: boolean;
  /** More tasks of others that it accepts. */
  readonly room: number;
  readonly agents: readonly { readonly name: string; readonly load: number; readonly slots: number }[];
}

export interface RouteCapability {
  readonly status: 'active' | 'deprecated' | 'disabled';
  readonly version: string;
  readonly eligibleAgentIds: readonly string[];
}

/** The control plane, as far as one question needs it. */
export interface RouteFacts {
  /** The node of this name; null if there is none. */
  nodeOf(node: string): RouteNode | null;
  /** The node that has an agent now; null if nobody has it. */
  ownerOf(agent: string): { readonly node: string; readonly fence: number | null } | null;
  /** Null if nobody has published it. */
  capability(id: string): RouteCapability | null;
  /** Open reviews of an agent's work under a capability. */
  openReviews(capability: string, agent: string): number;
  /** Open tasks that this node has sent to an agent. */
  sentTo(agent: string, node: string): number;
}

export interface RouteQuestion {
  readonly to: readonly string[];
  readonly needs: readonly string[];
  /** Nodes that do not want the task; absent: none. */
  readonly avoid?: readonly string[];
}

/** `cap.release.checklist@1.2.0` asks for that version, or a later one with the same first number. */
export function splitNeed(need: string): readonly [capability: string, version: string | null] {
  const at = need.lastIndexOf('@');
  return at < 1 ? [need, null] : [need.slice(0, at), need.slice(at + 1)];
}

/** Chooses the recipients of a task by its targets, or by the capabilities that it needs (Runtime §4, runtime:refusals). */
export function routeTask({ to, needs, avoid = [] }: RouteQuestion, known: RouteFacts): readonly Route[] | Refusal {
  const facts: RouteFacts = { ...known, nodeOf: (node) => withoutRoom(known.nodeOf(node), avoid.includes(node)) };
  if (to.length === 0 && needs.length === 0) {
    const refusal = refuse('no_route', 'the task names neither agents nor capabilities', '/on');
    return { ...refusal, details: ['missing_route_fields'] };
  }
  const published = judgeNeeds(needs, facts);
  if ('kind' in published) return published;
  return to.length > 0 ? routeToTargets(to, published, facts) : routeByNeeds(published, facts);
}

function withoutRoom(node: RouteNode | null, isAvoided: boolean): RouteNode | null {
  return node !== null && isAvoided ? { ...node, room: 0 } : node;
}

type NeededCapabilities = readonly { readonly id: string; readonly capability: RouteCapability }[];

function judgeNeeds(needs: readonly string[], facts: RouteFacts): NeededCapabilities | Refusal {
  const found: { readonly id: string; readonly capability: RouteCapability }[] = [];
  for (const need of new Set(needs)) {
    const [id, version] = splitNeed(need);
    const capability = facts.capability(id);
    if (capability === null || capability.status === 'disabled') {
      const why = capability === null ? `nobody has published ${id}` : `${id} was removed`;
      return {
        ...refuse('capability_unavailable', why, '/needs'),
        hint: 'baton capability list shows what is published',
      };
    }
    if (version !== null && !isCompatible(capability.version, version)) {
      const message = `${id} is published in version ${capability.version}, and ${version} is asked for`;
      return refuse('version_incompatible', message, '/needs');
    }
    found.push({ id, capability });
  }
  return found;
}

function isCompatible(published: string, asked: string): boolean {
  return published.split('.', 1)[0] === asked.split('.', 1)[0] && compareVersions(published, asked) >= 0;
}

/** Routes to those targets that live: the first of them to accept it does it. */
function routeToTargets(
  to: readonly string[],
  needed: NeededCapabilities,
  facts: RouteFacts,
): readonly Route[] | Refusal {
  const found = [...new Set(to)].map((address) => ({ address, route: findTarget(address, needed, facts) }));
  const unknown = found.filter(({ route }) => route === null).map(({ address }) => address);
  if (unknown.length > 0) {
    const refusal = refuse('invalid_targets', `nobody in the federation is called ${unknown.join(' or ')}`, '/on');
    return { ...refusal, hint: 'baton node status lists the nodes and their agents' };
  }
  const routes = found.flatMap(({ route }) => route ?? []);
  const able = routes.filter((route) => canDo(route, needed, facts));
  if (able.length === 0) {
    const who = [...new Set(to)].join(' or ');
    const what = needed.map(({ id }) => id).join(' and ');
    return refuse('capability_unavailable', `${who} does not offer ${what}`, '/on');
  }
  const open = reachable(able, facts);
  return 'kind' in open ? open : withoutRepeats(open);
}

/** A target that is a node stands for the agent of it that can do everything; without capabilities the node chooses. */
function findTarget(address: string, needed: NeededCapabilities, facts: RouteFacts): Route | null {
  const [name, at] = splitAddress(address);
  if (at !== null) {
    const isThere = facts.nodeOf(at)?.agents.some((agent) => agent.name === name) ?? false;
    return isThere ? { agent: address, node: at, fence: null } : null;
  }
  const owner = facts.ownerOf(name);
  if (owner !== null) return { agent: name, ...owner };
  if (facts.nodeOf(name) === null) return null;
  const able = needed.length === 0 ? [] : candidatesOf(needed, facts).filter(({ node }) => node === name);
  return able[0] ?? { agent: name, node: name, fence: null };
}

function canDo({ agent, node }: Route, needed: NeededCapabilities, facts: RouteFacts): boolean {
  const [name] = splitAddress(agent);
  // The name of an agent counts only on the node that owns it.
  const isOwner = facts.ownerOf(name)?.node === node;
  return needed.every(({ capability }) => isOwner && capability.eligibleAgentIds.includes(name));
}

/** Several capabilities: an agent must have all of them. The least loaded one does it, then the first by name. */
function routeByNeeds(needed: NeededCapabilities, facts: RouteFacts): readonly Route[] | Refusal {
  const [first, ...others] = needed.map(({ capability }) => capability.eligibleAgentIds);
  const able = (first ?? []).filter((agent) => others.every((agents) => agents.includes(agent)));
  const what = needed.map(({ id }) => id).join(' and ');
  if (able.length === 0) return refuse('no_route', `no agent offers ${what}`, '/needs');
  const candidates = candidatesOf(needed, facts);
  if (candidates.length === 0) {
    return refuse('owner_unavailable', `no active node has ${able.join(' or ')}, who offers ${what}`, '/needs');
  }
  const open = reachable(candidates, facts);
  return 'kind' in open ? open : open.slice(0, 1);
}

/** The agents that offer everything and that a node has, the best first. Open reviews of their work come last. */
function candidatesOf(needed: NeededCapabilities, facts: RouteFacts): readonly Route[] {
  const [first, ...others] = needed.map(({ capability }) => capability.eligibleAgentIds);
  const able = [...new Set(first ?? [])].filter((agent) => others.every((agents) => agents.includes(agent)));
  const routes = able.flatMap((agent) => {
    const owner = facts.ownerOf(agent);
    return owner === null ? [] : [{ agent, ...owner }];
  });
  const ranked = routes.map((route) => ({
    route,
    isUnderReview: needed.some(({ id }) => facts.openReviews(id, route.agent) > 0),
    load: loadOf(route, facts),
  }));
  return ranked
    .sort(
      (one, two) =>
        Number(one.isUnderReview) - Number(two.isUnderReview) ||
        one.load - two.load ||
        (one.route.agent < two.route.agent ? -1 : 1),
    )
    .map(({ route }) => route);
}

/** The record of a node is up to half a minute old: the tasks that went there since count as well. */
function loadOf({ agent, node }: Route, facts: RouteFacts): number {
  const found = facts.nodeOf(node)?.agents.find(({ name }) => name === agent);
  const tasks = Math.max(found?.load ?? 0, facts.sentTo(agent, node));
  return tasks / Math.max(1, found?.slots ?? 1);
}

function reachable(routes: readonly Route[], facts: RouteFacts): readonly Route[] | Refusal {
  const alive = routes.filter(({ node }) => facts.nodeOf(node)?.isAlive);
  const names = (of: readonly Route[]) => [...new Set(of.map(({ node }) => node))].join(', ');
  if (alive.length === 0) return refuse('owner_unavailable', `${names(routes)} is not there now`, '/on');
  const roomy = alive.filter(({ node }) => (facts.nodeOf(node)?.room ?? 0) > 0);
  return roomy.length > 0 ? roomy : refuse('overloaded', `${names(alive)} takes no more tasks now`, '/on');
}

function withoutRepeats(routes: readonly Route[]): readonly Route[] {
  return [...new Map(routes.map((route) => [`${route.agent} ${route.node}`, route])).values()];
}
