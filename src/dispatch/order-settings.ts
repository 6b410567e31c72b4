import type { OrderSettings } from '../ledger/statements/orders.ts';
import type { ReadOrder } from '../protocols/aop/read-order.ts';
import type { CallerBounds } from '../protocols/aop/task-of-words.ts';
import type { RunSettings } from './run-world.ts';
import type { WantedOrder } from './wanted-order.ts';

/** The smaller of what was asked for and what the configuration allows. */
export function boundsOf({ timeoutSeconds, budgetUsd }: WantedOrder, { runUsdMax }: RunSettings): CallerBounds {
  const caps = [budgetUsd, runUsdMax].filter((cap) => cap !== null);
  return {
    ...(timeoutSeconds !== null && { timeoutSeconds }),
    ...(caps.length > 0 && { budgetUsd: Math.min(...caps) }),
  };
}

/** The configuration's checks are for plain words; a program's order says itself how it is verified. */
export function settingsOf(
  wanted: WantedOrder,
  { isProgram, fallback }: ReadOrder,
  configured: RunSettings,
): OrderSettings {
  const usual = isProgram ? [] : configured.checks;
  return {
    checks: wanted.checks.length > 0 ? wanted.checks : usual,
    isFallback: fallback !== null,
    wantsWorktree: wanted.wantsWorktree,
    hosts: wanted.hosts,
  };
}
