/** The most that a task may cost over all its runs; null means no limit. */
export interface Budget {
  readonly costUsdMax: number | null;
  readonly tokensMax: number | null;
}

export interface Spend {
  readonly costUsd: number;
  readonly tokens: number;
}

type SparseBudget = { readonly [Key in keyof Budget]?: number | null | undefined };

/** aop:budget: the smaller of budgets and constraints. */
export function effectiveBudget(sources: readonly (SparseBudget | null | undefined)[]): Budget {
  return {
    costUsdMax: smallest(sources.map((source) => source?.costUsdMax)),
    tokensMax: smallest(sources.map((source) => source?.tokensMax)),
  };
}

export function isOverBudget(budget: Budget, spent: Spend): boolean {
  return isOver(budget.costUsdMax, spent.costUsd) || isOver(budget.tokensMax, spent.tokens);
}

const WARNING_SHARE = 0.8;

/** Whether most of the money is spent, so that a person should know. */
export function isNearBudget({ costUsdMax }: Budget, { costUsd }: Spend): boolean {
  return costUsdMax !== null && costUsd > 0 && costUsd - costUsdMax * WARNING_SHARE > -ROUNDING;
}

/** The cap on the money of all runs of a day. */
export interface DayLimit {
  readonly usdMax: number;
  /** The money of today, with this much for the run itself. */
  spentUsd(ownUsd: number): number;
}

/** The money of all runs of a day, and the cap on it. */
export interface DaySpent {
  readonly usdMax: number;
  readonly usd: number;
}

export function isDayOver({ usdMax, usd }: DaySpent): boolean {
  return isOver(usdMax, usd);
}

export function isDayNear({ usdMax, usd }: DaySpent): boolean {
  return usd - usdMax * WARNING_SHARE > -ROUNDING;
}

const USD_DECIMALS = 9;

/** Without the rounding errors of binary fractions. */
export function roundUsd(usd: number): number {
  return Number(usd.toFixed(USD_DECIMALS));
}

/** The most that one more run may spend, of the task's money and the day's; null is no cap. */
export function usdLeft({ costUsdMax }: Budget, { costUsd }: Spend, day: DayLimit | null): number | null {
  const left = smallest([costUsdMax === null ? null : costUsdMax - costUsd, day && day.usdMax - day.spentUsd(0)]);
  return left === null ? null : roundUsd(Math.max(0, left));
}

/** The spend of earlier runs, capped at the budget, so that a run that costs nothing may still start. */
export function countedSpend(budget: Budget, spent: Spend): Spend {
  return {
    costUsd: Math.min(spent.costUsd, budget.costUsdMax ?? spent.costUsd),
    tokens: Math.min(spent.tokens, budget.tokensMax ?? spent.tokens),
  };
}

function smallest(bounds: readonly (number | null | undefined)[]): number | null {
  const set = bounds.filter((bound) => bound !== null && bound !== undefined);
  return set.length === 0 ? null : Math.min(...set);
}

/** Rounding errors of binary fractions do not exceed a budget. */
const ROUNDING = 1e-9;

function isOver(max: number | null, spent: number): boolean {
  return max !== null && spent - max > ROUNDING;
}
