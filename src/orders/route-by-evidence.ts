import type { JudgedOrder } from '../domain/agent/agent-stats.ts';
import { REPORTED_ORDERS_MAX } from '../domain/limits.ts';
import { decideOrder, type OrderTerms, type OrderText } from '../domain/order/decide-order.ts';
import type { Order } from '../domain/order/order.ts';
import type { OrderFlags } from '../domain/order/order-request.ts';
import type { Round } from '../domain/order/round.ts';
import { AUTO, type Candidate, type RoutingChoice, routeOrder } from '../domain/order/route-order.ts';
import { selectQuotaHold } from '../ledger/statements/quota-holds.ts';
import { selectNewestReports } from '../ledger/statements/reports.ts';
import type { Reader } from '../ledger/tx.ts';
import { findRepository } from '../workspace/find-repository.ts';
import { NO_NOTES } from './admit.ts';
import type { PlanWorld } from './plan-world.ts';

/** Chooses the agents of orders whose target is `auto`, by the results in the ledger, read once. An agent of that name wins. */
export class EvidenceRouter {
  readonly #world: PlanWorld;
  readonly #ledger: Reader | null;
  /** Orders of the same kind and place have the same answer. */
  readonly #found = new Map<string, RoutingChoice | null>();
  #ended: readonly JudgedOrder[] | null = null;

  constructor(world: PlanWorld, ledger: Reader | null) {
    this.#world = world;
    this.#ledger = ledger;
  }

  /**
   * Decides the order of a text, with the agent that is chosen for it, which may decide more, such as its time limit. Where nobody
   * is ready the choice stays open, and the admission refuses it.
   */
  decide(text: OrderText, terms: OrderTerms, flags: OrderFlags): Round {
    const { provenance, message, notes = NO_NOTES } = text;
    const round = { provenance, message };
    const order = decideOrder(text, terms);
    const routing = this.#isOpen(order) ? this.#routingOf(order) : null;
    const chosen = this.#world.roster.settings().agents.find(({ name }) => name === routing?.agent);
    if (routing === null || !chosen) return { ...round, order, request: flags, notes };
    const { name: agentName, provider, model } = chosen;
    const target = { ...text.target, agentName, provider, model };
    const routed = decideOrder({ ...text, target }, { ...terms, agentName });
    // A later round goes to the same agent.
    return { ...round, order: routed, request: { ...flags, agent: agentName }, notes: { ...notes, routing } };
  }

  #isOpen({ target }: Order): boolean {
    return target.agentName === AUTO && this.#world.roster.settings().agents.every(({ name }) => name !== AUTO);
  }

  #routingOf({ category: named, workspaceRoot, access }: Order): RoutingChoice | null {
    const category = named ?? null;
    const isClosed = access.network === 'NONE';
    const key = JSON.stringify([category, workspaceRoot, isClosed]);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const repository = findRepository(workspaceRoot)?.root ?? workspaceRoot;
    const { defaultAgent } = this.#world.roster.settings();
    this.#ended ??= this.#ledger === null ? [] : selectNewestReports(this.#ledger, REPORTED_ORDERS_MAX);
    const ended = this.#ended;
    const routing = routeOrder({ candidates: this.#candidates(isClosed), defaultAgent, category, repository, ended });
    this.#found.set(key, routing);
    return routing;
  }

  #candidates(isClosed: boolean): readonly Candidate[] {
    const { roster, clock } = this.#world;
    const { settings, drivers, accountOf } = roster;
    const ledger = this.#ledger;
    const reachable = settings().agents.filter(({ driver }) => !isClosed || !drivers[driver]?.hasRemoteModel);
    return reachable.map((agent) => {
      const account = ledger && accountOf(agent);
      const hold = ledger && account !== null ? selectQuotaHold(ledger, account) : null;
      return { name: agent.name, driver: agent.driver, isHeld: hold !== null && hold.until > clock.now().wallMs };
    });
  }
}
