import type { DriverName } from '../agent/agent.ts';
import { type AgentStats, agentStats, type JudgedOrder } from '../agent/agent-stats.ts';

/** The name that leaves the choice of an agent to the evidence of earlier orders. */
export const AUTO = 'auto';

/** An agent that an order may be given to. */
export interface Candidate {
  readonly name: string;
  readonly driver: DriverName;
  /** Out of quota with its vendor. */
  readonly isHeld: boolean;
}

export interface RoutingQuestion {
  /** In the order of the configuration. */
  readonly candidates: readonly Candidate[];
  readonly defaultAgent: string | null;
  readonly category: string | null;
  readonly repository: string;
  /** Ended orders of all agents. */
  readonly ended: readonly JudgedOrder[];
}

/** The agent of an order that left the choice to Baton, with the evidence. */
export interface RoutingChoice {
  readonly agent: string;
  /** In one line. */
  readonly reason: string;
  /** The results of every agent that could have been chosen, the best first; empty without evidence. */
  readonly evidence: readonly Pick<
    AgentStats,
    'agent' | 'orders' | 'successRate' | 'firstTryRate' | 'medianSeconds' | 'medianCostUsd'
  >[];
}

/** Fewer orders prove nothing about an agent. */
const ORDERS_MIN = 3;
/** Rates that differ by less count as equal. */
const RATE_STEP = 0.05;

/**
 * Chooses by success, then first-try rate, median time and median cost, among orders of the same category and repository; where
 * these are too few, of the category, of the repository, or all. The same evidence always gives the same agent. Null where no
 * agent is ready.
 */
export function routeOrder(question: RoutingQuestion): RoutingChoice | null {
  const ready = question.candidates.filter(({ driver }) => driver !== 'demo');
  const served = ready.filter(({ isHeld }) => !isHeld);
  const candidates = served.length > 0 ? served : ready;
  if (candidates.length === 0) return null;
  const names = new Set(candidates.map(({ name }) => name));
  const judged = question.ended.filter(({ agent }) => names.has(agent));
  for (const scope of scopesOf(question)) {
    const evidence = bestFirst(judged.filter(scope.fits), candidates);
    const [best] = evidence;
    if (best && evidence.some(({ orders }) => orders >= ORDERS_MIN)) {
      return { agent: best.agent, reason: reasonOf(evidence, scope.words), evidence };
    }
  }
  return withoutEvidence(candidates, question.defaultAgent);
}

interface Scope {
  readonly words: string;
  fits(order: JudgedOrder): boolean;
}

function scopesOf({ category, repository }: RoutingQuestion): readonly Scope[] {
  const isSame = (order: JudgedOrder) => order.category === category;
  const isHere = (order: JudgedOrder) => order.repository === repository;
  const kind = category === null ? 'orders in words' : `${category} orders`;
  return [
    { words: `${kind} in this repository`, fits: (order) => isSame(order) && isHere(order) },
    { words: `${kind} in any repository`, fits: isSame },
    { words: 'orders in this repository', fits: isHere },
    { words: 'orders', fits: () => true },
  ];
}

type Evidence = RoutingChoice['evidence'][number];

function bestFirst(orders: readonly JudgedOrder[], candidates: readonly Candidate[]): readonly Evidence[] {
  const together = orders.map((order) => ({ ...order, category: null, repository: null }));
  const known = new Map(agentStats(together).map((stats) => [stats.agent, stats]));
  const evidence = candidates.map(({ name }) => {
    const { orders: count = 0, successRate = 0, firstTryRate = 0, medianSeconds = 0 } = known.get(name) ?? {};
    const medianCostUsd = known.get(name)?.medianCostUsd ?? null;
    return { agent: name, orders: count, successRate, firstTryRate, medianSeconds, medianCostUsd };
  });
  // The sort is stable: of equals, the first of the configuration.
  return evidence.sort(
    (a, b) =>
      stepOf(b, b.successRate) - stepOf(a, a.successRate) ||
      stepOf(b, b.firstTryRate) - stepOf(a, a.firstTryRate) ||
      a.medianSeconds - b.medianSeconds ||
      (a.medianCostUsd ?? 0) - (b.medianCostUsd ?? 0),
  );
}

/** With one success and one failure added: one of one proves less than nine of ten, and nothing less than both. */
function stepOf({ orders }: Evidence, rate: number): number {
  return Math.round((rate * orders + 1) / (orders + 2) / RATE_STEP);
}

const OTHERS_NAMED_MAX = 2;

function reasonOf([best, ...others]: readonly Evidence[], words: string): string {
  if (!best) return '';
  const cost = best.medianCostUsd === null ? '' : `, $${best.medianCostUsd.toFixed(2)}`;
  const figures =
    best.orders === 0
      ? 'not tried yet'
      : `${passedOf(best)} ${words} succeeded, ${Math.round(best.firstTryRate * 100)} % at the first try, median ${secondsOf(best)}${cost}`;
  const beside = others.slice(0, OTHERS_NAMED_MAX).map((other) => `${other.agent} ${passedOf(other)}`);
  return `${best.agent}: ${figures}${beside.length === 0 ? '' : `; ${beside.join(', ')}`}`;
}

function passedOf({ orders, successRate }: Evidence): string {
  return `${Math.round(successRate * orders)} of ${orders}`;
}

function secondsOf({ medianSeconds }: Evidence): string {
  const seconds = Math.round(medianSeconds);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function withoutEvidence(candidates: readonly Candidate[], defaultAgent: string | null): RoutingChoice {
  const usual = candidates.find(({ name }) => name === defaultAgent);
  const { name } = usual ?? (candidates[0] as Candidate);
  const rule = usual ? 'it is the default agent' : 'it is the first that is ready';
  return {
    agent: name,
    reason: `${name}: no evidence yet, fewer than ${ORDERS_MIN} orders have ended; ${rule}`,
    evidence: [],
  };
}
