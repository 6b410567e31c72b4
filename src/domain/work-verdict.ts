/** Baton's own judgement of an order, by its checks. */
export type WorkVerdict =
  /** Every check passed. */
  | 'checked'
  /** No check could judge the work: it may be done, and nothing proves it. */
  | 'unchecked'
  /** A part of it was done, or a checkpoint that may be missed was missed. */
  | 'partial'
  | 'failed'
  /** It was stopped, or gave itself up. */
  | 'aborted';

/** The judgement of several orders together: the worst one decides. */
export type CombinedVerdict = Exclude<WorkVerdict, 'unchecked'>;

/** An agent's own word about the end of its work. */
export type ClaimedResult = 'done' | 'partial' | 'failed' | 'aborted';

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
