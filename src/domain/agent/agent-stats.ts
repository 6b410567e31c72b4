import type { OrderEnd } from '../session/session-report.ts';

/** An ended order, as far as it says something about its agent. */
export interface JudgedOrder
  extends Pick<OrderEnd, 'agent' | 'verdict' | 'attempts' | 'startedAt' | 'completedAt' | 'spend'> {
  /** AOP's category; null where the order names none. */
  readonly category: string | null;
  /** The root of the repository, or the folder of the work. */
  readonly repository: string | null;
}

/** The results of one agent in one category and repository, by Baton's own verdicts. */
export interface AgentStats {
  readonly agent: string;
  readonly category: string | null;
  readonly repository: string | null;
  /** Orders that a run was started for and nobody aborted. */
  readonly orders: number;
  /** Parts of one. */
  readonly successRate: number;
  /** Successes at the first attempt. */
  readonly firstTryRate: number;
  readonly medianSeconds: number;
  /** Over orders whose agent reported a cost; null where none did. */
  readonly medianCostUsd: number | null;
}

/** The most orders first. An aborted order proves nothing about its agent. */
export function agentStats(orders: readonly JudgedOrder[]): readonly AgentStats[] {
  const groups = new Map<string, JudgedOrder[]>();
  for (const order of orders) {
    if (order.verdict === 'aborted' || order.attempts === 0) continue;
    const key = JSON.stringify([order.agent, order.category, order.repository]);
    groups.set(key, [...(groups.get(key) ?? []), order]);
  }
  return [...groups.values()].map(statsOf).sort((one, other) => other.orders - one.orders);
}

function statsOf(orders: readonly JudgedOrder[]): AgentStats {
  const [{ agent, category, repository }] = orders as readonly [JudgedOrder];
  const passed = orders.filter(({ verdict }) => verdict === 'checked');
  const costs = orders
    .map(({ spend }) => spend.reduce((sum, { costUsd }) => sum + costUsd, 0))
    .filter((usd) => usd > 0);
  const seconds = orders.map(({ startedAt, completedAt }) => Math.max(0, completedAt - startedAt) / 1_000);
  return {
    agent,
    category,
    repository,
    orders: orders.length,
    successRate: passed.length / orders.length,
    firstTryRate: passed.filter(({ attempts }) => attempts === 1).length / orders.length,
    medianSeconds: median(seconds) ?? 0,
    medianCostUsd: median(costs),
  };
}

/** The middle value, or the mean of the two in the middle; null for none. */
function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
