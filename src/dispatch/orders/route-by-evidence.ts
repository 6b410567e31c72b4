import type { JudgedOrder } from '../../domain/agent-stats.ts';
import { decideOrder, type OrderTerms, type OrderText } from '../../domain/decisions/decide-order.ts';
import { AUTO, type Candidate, type Routing, routeOrder } from '../../domain/decisions/route-order.ts';
import { REPORTED_ORDERS_MAX } from '../../domain/limits.ts';
import type { Order } from '../../domain/order.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { selectQuotaHold } from '../../ledger/statements/quota-holds.ts';
import { selectNewestReports } from '../../ledger/statements/reports.ts';
import type { Reader } from '../../ledger/tx.ts';
import { findRepository } from '../../workspace/find-repository.ts';
import type { PlanWorld } from '../plan-world.ts';

interface RoutedOrder {
  readonly kind: 'routed';
  readonly order: Order;
  /** Null for an order that names its agent. */
  readonly routing: Routing | null;
}

/** Chooses the agents of orders whose target is `auto`, by the results in the ledger, read once. An agent of that name wins. */
export class EvidenceRouter {
  readonly #world: PlanWorld;
  readonly #ledger: Reader | null;
  /** Orders of the same kind and place have the same answer. */
  readonly #found = new Map<string, Routing | Refusal>();
  #ended: readonly JudgedOrder[] | null = null;

  constructor(world: PlanWorld, ledger: Reader | null) {
    this.#world = world;
    this.#ledger = ledger;
  }

  /** Decides the order of a text. The agent that is chosen for it may decide more, such as its time limit. */
  decide(text: OrderText, terms: OrderTerms): RoutedOrder | Refusal {
    const order = decideOrder(text, terms);
    const { agents } = this.#world.settings();
    if (order.target.agentName !== AUTO || agents.some(({ name }) => name === AUTO)) {
      return { kind: 'routed', order, routing: null };
    }
    const routing = this.#routingOf(order);
    if (isRefusal(routing)) return routing;
    const chosen = agents.find(({ name }) => name === routing.agent);
    if (!chosen) throw new Error(`${routing.agent} was chosen and is not configured`);
    const { name: agentName, provider, model } = chosen;
    const target = { ...text.target, agentName, provider, model };
    return { kind: 'routed', order: decideOrder({ ...text, target }, { ...terms, agentName }), routing };
  }

  #routingOf({ category: named, workspaceRoot, access }: Order): Routing | Refusal {
    const category = named ?? null;
    const isClosed = access.network === 'NONE';
    const key = JSON.stringify([category, workspaceRoot, isClosed]);
    const known = this.#found.get(key);
    if (known) return known;
    const repository = findRepository(workspaceRoot)?.root ?? workspaceRoot;
    const { defaultAgent } = this.#world.settings();
    this.#ended ??= this.#ledger === null ? [] : selectNewestReports(this.#ledger, REPORTED_ORDERS_MAX);
    const ended = this.#ended;
    const routing = routeOrder({ candidates: this.#candidates(isClosed), defaultAgent, category, repository, ended });
    this.#found.set(key, routing);
    return routing;
  }

  #candidates(isClosed: boolean): readonly Candidate[] {
    const { settings, drivers, accountOf, clock } = this.#world;
    const ledger = this.#ledger;
    const reachable = settings().agents.filter(({ driver }) => !isClosed || !drivers[driver]?.hasRemoteModel);
    return reachable.map((agent) => {
      const account = ledger && accountOf(agent);
      const hold = ledger && account !== null ? selectQuotaHold(ledger, account) : null;
      return { name: agent.name, driver: agent.driver, isHeld: hold !== null && hold.until > clock.now().wallMs };
    });
  }
}
