import type { UsedCapability } from '../../domain/federation/capability-review.ts';
import {
  type Route,
  type RouteFacts,
  type RouteNode,
  type RouteQuestion,
  routeTask,
  splitNeed,
} from '../../domain/federation/route-task.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { countSentTo } from '../../ledger/statements/federation/sent-tasks.ts';
import type { Reader } from '../../ledger/tx.ts';
import type { Federation } from '../federation.ts';
import type { Directory, KnownOwner } from '../nodes/directory.ts';
import { KEYS } from '../records.ts';
import { isKey, type Transport } from '../transport.ts';
import { type CatalogEntry, findCapability } from './catalog.ts';
import { recordRouteFailure } from './open-review.ts';
import { readOpenReviews } from './read-reviews.ts';

interface RouteWorld {
  readonly directory: Pick<Directory, 'nodeOrKnown' | 'agentOrKnown' | 'meet'>;
  readonly transport: Transport;
  readonly ledger: { readonly read: Reader };
}

interface FoundRoute {
  readonly routes: readonly Route[] | Refusal;
  /** The capabilities that were asked for, as far as they are published. */
  readonly capabilities: readonly CatalogEntry[];
}

/** Looks up what one question needs of the control plane, and routes by it. Nodes that are found are known by their keys. */
async function findRoute(world: RouteWorld, question: RouteQuestion): Promise<FoundRoute> {
  const look = new Lookup(world);
  const needs = [...new Set(question.needs.map((need) => splitNeed(need)[0]))];
  for (const id of needs) await look.capability(id);
  for (const address of question.to) await look.target(address);
  const routes = routeTask(question, look.facts());
  const capabilities = needs.flatMap((id) => look.capabilities.get(id) ?? []);
  // Owners as well: they are told of reviews.
  const nodes = isRefusal(routes) ? [] : routes.map(({ node }) => node);
  const owners = capabilities.map(({ catalog }) => catalog.ownerNodeId);
  for (const node of new Set([...nodes, ...owners])) await world.directory.meet(node);
  return { routes, capabilities };
}

class Lookup {
  readonly #world: RouteWorld;
  readonly #nodes = new Map<string, RouteNode | null>();
  readonly #owners = new Map<string, KnownOwner | null>();
  readonly capabilities = new Map<string, CatalogEntry | null>();
  readonly #reviews = new Map<string, ReadonlyMap<string, number>>();

  constructor(world: RouteWorld) {
    this.#world = world;
  }

  async target(address: string): Promise<void> {
    const at = address.lastIndexOf('@');
    const name = at < 1 ? address : address.slice(0, at);
    if (at >= 1) await this.#node(address.slice(at + 1));
    // Also of an agent that is named with its node: capabilities belong to the owner of the name.
    await this.#agent(name);
    if (at < 1) await this.#node(name);
  }

  async capability(id: string): Promise<void> {
    const { transport } = this.#world;
    const found = isKey(KEYS.catalog(id)) ? await findCapability(transport, id) : null;
    this.capabilities.set(id, found);
    if (found === null) return;
    this.#reviews.set(id, await readOpenReviews(transport, id));
    for (const agent of found.eligibleAgentIds) await this.#agent(agent);
  }

  async #agent(name: string): Promise<void> {
    if (this.#owners.has(name)) return;
    const owner = await this.#world.directory.agentOrKnown(name);
    this.#owners.set(name, owner);
    if (owner !== null) await this.#node(owner.node);
  }

  async #node(name: string): Promise<void> {
    if (!this.#nodes.has(name)) this.#nodes.set(name, await this.#world.directory.nodeOrKnown(name));
  }

  facts(): RouteFacts {
    const sent = countSentTo(this.#world.ledger.read);
    return {
      nodeOf: (node) => this.#nodes.get(node) ?? null,
      ownerOf: (agent) => this.#owners.get(agent) ?? null,
      capability: (id) => {
        const found = this.capabilities.get(id);
        return found ? { ...found.catalog, eligibleAgentIds: found.eligibleAgentIds } : null;
      },
      openReviews: (id, agent) => {
        const counts = this.#reviews.get(id);
        // A review that names nobody is about the capability itself, whoever does it.
        return (counts?.get(agent) ?? 0) + (counts?.get('') ?? 0);
      },
      sentTo: (agent, node) => sent.get(`${agent} ${node}`) ?? 0,
    };
  }
}

/** Finds a route for a task of this node; one that is not found is noted with its capabilities. */
export async function routeFor(federation: Federation, question: RouteQuestion): Promise<CapabilityRoute | Refusal> {
  const { directory, parts } = federation;
  const { transport, ledger } = parts;
  const { routes, capabilities } = await findRoute({ directory, transport, ledger }, question);
  if (!isRefusal(routes)) return { routes, capabilities: capabilities.map(usedCapability) };
  // A version that nobody published, and an agent that nobody has, are the mistakes of whoever asked.
  const isOurs = routes.code === 'version_incompatible' || routes.code === 'invalid_targets';
  const active = isOurs ? [] : capabilities.filter(({ catalog }) => catalog.status === 'active').map(usedCapability);
  if (active.length > 0) {
    const { sender } = federation;
    await ledger.submit(recordRouteFailure, { sender, code: routes.code, capabilities: active });
  }
  return routes;
}

export interface CapabilityRoute {
  readonly routes: readonly Route[];
  readonly capabilities: readonly UsedCapability[];
}

function usedCapability({ catalog }: CatalogEntry): UsedCapability {
  return {
    capabilityId: catalog.capabilityId,
    delegationSkillVersion: catalog.delegationSkillRef.version,
    executorSkillVersion: catalog.executorSkillRef.version,
    ownerNodeId: catalog.ownerNodeId,
  };
}
