import { FAILURE_CODES } from '../../domain/failure-code.ts';
import { type DaySpent, roundUsd, type Spend } from '../../domain/order/budget.ts';
import type { RefusalCode } from '../../domain/refusal.ts';
import type { RunLimits } from './attempt.ts';

/** A limit that a run passed and that does not end it. Its code is for programs. */
export interface LimitNotice {
  readonly code: RefusalCode;
  readonly message: string;
}

/** Limits that a run is warned about. */
export type WarnedLimit = 'timeout' | 'heartbeat' | 'spend' | 'day';

/** The notice of a limit that a run has passed. */
export function limitNotice(
  about: WarnedLimit,
  { policy, budget }: RunLimits,
  { costUsd, day }: Spend & { readonly day: DaySpent | null },
): LimitNotice {
  switch (about) {
    case 'timeout':
      return {
        code: FAILURE_CODES.timeout,
        message: `it has run longer than ${policy.timeoutSeconds} s; it may continue`,
      };
    case 'heartbeat': {
      const message = `no output or heartbeat for ${silenceSeconds(policy.heartbeat)} s`;
      return { code: FAILURE_CODES['heartbeat-missed'], message };
    }
    case 'spend': {
      const message = `it has cost $${roundUsd(costUsd)} of its cap of $${budget.costUsdMax}`;
      return { code: FAILURE_CODES['budget-exceeded'], message };
    }
    case 'day': {
      const { usd = 0, usdMax = 0 } = day ?? {};
      const message = `the runs of today have cost $${roundUsd(usd)} of the day's cap of $${usdMax} (budgets.day_usd)`;
      return { code: FAILURE_CODES['budget-exceeded'], message };
    }
  }
}

function silenceSeconds({ intervalSeconds, missedBeatsMax }: RunLimits['policy']['heartbeat']): number {
  return intervalSeconds * missedBeatsMax;
}
