import { type Execution, spentBy } from '../execution/execution.ts';
import { type QuestionKind, YES } from '../task/question.ts';
import { roundUsd } from './budget.ts';

/** The effect of a person's answer on an order that waited for it. */
export type Resumption =
  | { readonly kind: 'stop' }
  | {
      readonly kind: 'resume';
      readonly alternative: number | null;
      readonly dueAt: number;
      /** The raised cap of the order. */
      readonly costUsdMax?: number;
      readonly isDayCapLifted?: true;
    };

export interface AnsweredQuestion {
  /** Between two runs of the order. */
  readonly kind: QuestionKind;
  readonly option: string;
  readonly execution: Execution;
  /** The cap that the order was accepted with; null is none. */
  readonly firstCapUsd: number | null;
  readonly nowMs: number;
}

/** Yes continues: after the reset of the quota, above the cap of the day, or with a higher cap. Anything else stops the order. */
export function decideResume({ kind, option, execution, firstCapUsd, nowMs }: AnsweredQuestion): Resumption {
  if (option !== YES) return { kind: 'stop' };
  const alternative = execution.next?.alternative ?? null;
  const last = execution.attempts.at(-1)?.end ?? null;
  if (kind === 'quota') {
    const dueAt = last?.kind === 'out-of-quota' ? last.until : 0;
    return { kind: 'resume', alternative, dueAt };
  }
  const resumed = { kind: 'resume', alternative, dueAt: nowMs } as const;
  if (kind !== 'budget') return resumed;
  if (last?.kind === 'failed' && last.cap === 'day') return { ...resumed, isDayCapLifted: true };
  return firstCapUsd === null ? resumed : { ...resumed, costUsdMax: raisedCap(execution, firstCapUsd) };
}

/** The same amount once more, on top of what was spent. */
function raisedCap(execution: Execution, step: number): number {
  return roundUsd(Math.max(execution.order.budget.costUsdMax ?? 0, spentBy(execution).costUsd) + step);
}
