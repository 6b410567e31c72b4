import type { Signal } from '../../domain/order/record-words.ts';
import type { WorkJudgement, WorkVerdict } from '../../domain/order/work-verdict.ts';

/** A verdict on work with its cause. Words for people follow from these fields (`src/domain/words/verdict-words.ts`). */
export interface VerdictView<Verdict extends WorkVerdict | null = WorkVerdict | null> extends WorkJudgement<Verdict> {
  /** The verdict as AOP spells it; PARTIAL_SUCCESS is `partial` or `unchecked`. */
  readonly signal: Verdict extends null ? null : Signal;
  readonly isUnchecked: boolean;
  readonly isStopped: boolean;
}
