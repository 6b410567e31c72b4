import type { Spend } from '../order/budget.ts';

/** A point of an artifact that a reviewer would change. */
export interface Finding {
  /** Stable: the same finding has the same id in every iteration (afp:stable-ids). */
  readonly id: string;
  /** The part of the artifact that it is about. */
  readonly aspect: string;
  readonly description: string;
  readonly recommendation: string;
}

/** The requester's decision on a finding. */
export interface Decision {
  readonly id: string;
  readonly status: 'accepted' | 'rejected' | 'partial';
  readonly reasonCode: string | null;
  readonly explanation: string | null;
}

/** An artifact by its marks: the content itself is not kept. */
export interface ArtifactMark {
  readonly mediaType: string;
  /** The requester's own name of the version; null where it gives none. */
  readonly ref: string | null;
  readonly sha256: string;
  readonly bytes: number;
}

/** The spend of one iteration, as the agent reported it. */
export interface FeedbackSpend extends Spend {
  readonly tokensInput: number;
  readonly tokensOutput: number;
}

export const NOTHING_SPENT: FeedbackSpend = { costUsd: 0, tokens: 0, tokensInput: 0, tokensOutput: 0 };

export function addSpend(a: FeedbackSpend, b: FeedbackSpend): FeedbackSpend {
  return {
    costUsd: a.costUsd + b.costUsd,
    tokens: a.tokens + b.tokens,
    tokensInput: a.tokensInput + b.tokensInput,
    tokensOutput: a.tokensOutput + b.tokensOutput,
  };
}
