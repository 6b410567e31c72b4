// Requests and answers about feedback. Instants are RFC 3339.

/** A request for feedback that was taken. */
export interface FeedbackTaken {
  readonly session: string;
  readonly iteration: number;
  readonly askedAt: string;
  /** Remarks about the request. */
  readonly warnings: readonly string[];
  /** There already for a request that is wrong; null while the provider answers. */
  readonly answer: FeedbackAnswerView | null;
}

/** The answer of a provider. */
export interface FeedbackAnswerView {
  readonly session: string;
  readonly iteration: number;
  /** The AFP Response Object, as JSON. */
  readonly response: string;
  readonly isSuccess: boolean;
  readonly askedAt: string;
  readonly answeredAt: string;
  readonly costUsd: number;
  readonly tokensInput: number;
  readonly tokensOutput: number;
}

export interface AwaitedFeedback {
  /** Null while the provider answers. */
  readonly answer: FeedbackAnswerView | null;
}
