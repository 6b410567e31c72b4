import type { FeedbackItemView } from '../../../src/api/review/feedback-contract.ts';
import { Verdict, type VerdictKind } from '../../parts/verdict.tsx';

type FateWord = FeedbackItemView['fate'];

const KINDS: Readonly<Record<FateWord, VerdictKind>> = {
  disputed: 'needs-you',
  open: 'unchecked',
  partial: 'stale',
  rejected: 'failed',
  accepted: 'checked',
};

/** From what a person has to look at to what is settled. */
export const FATES: readonly FateWord[] = ['disputed', 'open', 'partial', 'rejected', 'accepted'];

/** The fate of a finding: a shape, a word and a colour. */
export function Fate({ fate }: { readonly fate: FateWord }) {
  return <Verdict kind={KINDS[fate]} word={fate} />;
}
