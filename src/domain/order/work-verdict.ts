/**
 * Baton's own judgement of an order, by its checks.
 *
 * - checked: every check passed.
 * - unchecked: no check could judge the work; it may be done, and nothing proves it.
 * - partial: a part of it was done, or a checkpoint that may be missed was missed.
 * - failed: a check, an expected output or a guard rail failed.
 * - aborted: it ended before its work was judged: stopped, skipped, or at a checkpoint that aborts it.
 */
export const WORK_VERDICTS = ['checked', 'unchecked', 'partial', 'failed', 'aborted'] as const;
export type WorkVerdict = (typeof WORK_VERDICTS)[number];

/** A verdict with its cause; `verdict` is null before the order is settled. */
export interface WorkJudgement<Verdict extends WorkVerdict | null = WorkVerdict | null> {
  readonly verdict: Verdict;
  /** It never started, because a task that it depends on failed. */
  readonly isSkipped: boolean;
  /** The actor that stopped it before its end; null where nobody did. */
  readonly stoppedBy: string | null;
}

/** The judgement of several orders together: the worst one decides. */
export const COMBINED_VERDICTS = ['checked', 'partial', 'failed', 'aborted'] as const satisfies readonly WorkVerdict[];
export type CombinedVerdict = (typeof COMBINED_VERDICTS)[number];

/** An agent's own word about the end of its work. */
export const CLAIMED_RESULTS = ['done', 'partial', 'failed', 'aborted'] as const;
export type ClaimedResult = (typeof CLAIMED_RESULTS)[number];

/** Whether there is work to look at: whether or not it was checked, it did not fail. */
export function isAccepted(verdict: WorkVerdict): verdict is 'checked' | 'unchecked' | 'partial' {
  return verdict !== 'failed' && verdict !== 'aborted';
}

const CLAIM_OF = {
  checked: 'done',
  unchecked: 'partial',
  partial: 'partial',
  failed: 'failed',
  aborted: 'aborted',
} as const satisfies Record<WorkVerdict, ClaimedResult>;

/** Whether an agent's word agrees with the verdict. A claim of done work needs checks. */
export function isClaimRight(claimed: ClaimedResult, verdict: WorkVerdict): boolean {
  return CLAIM_OF[verdict] === claimed;
}
