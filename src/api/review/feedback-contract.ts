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

/** A reviewer's answer in one round. */
export interface ReviewerAnswerView {
  readonly reviewer: string;
  readonly session: string | null;
  readonly iteration: number | null;
  /** The number of its findings. */
  readonly findings: number;
  /** Null for a success. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** A finding over all rounds, and what became of it. */
export interface FeedbackItemView {
  readonly id: string;
  readonly aspect: string;
  readonly description: string;
  readonly recommendation: string;
  readonly foundBy: readonly string[];
  readonly fate: 'open' | 'accepted' | 'rejected' | 'partial' | 'disputed';
  /** Why, in words of whoever decided; of a dispute both sides. */
  readonly reason: string | null;
  readonly firstRound: number;
  readonly lastRound: number;
  /** The last decision on it, by the fixing agent or a person; null before one. */
  readonly decided: {
    readonly status: 'accepted' | 'rejected' | 'partial';
    readonly by: string;
    readonly reason: string | null;
  } | null;
  /** The other side of a dispute: reviewers that gave it again, with their words. */
  readonly insisted: readonly { readonly reviewer: string; readonly text: string }[];
}

/** The change by the fixing agent in one round. */
export interface FixView {
  readonly task: string;
  /** Null while it is under way. */
  readonly signal: string | null;
  readonly message: string | null;
}

export interface RoundView {
  readonly round: number;
  readonly answers: readonly ReviewerAnswerView[];
  /** As they stood at the end of the round. */
  readonly items: readonly FeedbackItemView[];
  readonly fix: FixView | null;
}

/** An exchange in rounds. */
export interface FeedbackView {
  readonly feedback: string;
  readonly subject: string;
  /** `waiting`: a person who returned the work looks at it next. */
  readonly state: 'asking' | 'deciding' | 'fixing' | 'waiting' | 'over';
  /** A person reviews, and returns the work: no agent is asked. */
  readonly isByPerson: boolean;
  readonly reviewers: readonly string[];
  readonly fixer: string | null;
  /** The one that is under way, or the last. */
  readonly round: number;
  readonly roundsMax: number;
  readonly rounds: readonly RoundView[];
  readonly items: readonly FeedbackItemView[];
  /** Ids of the items that wait for a person's decision. */
  readonly undecided: readonly string[];
  /** The task whose files have the changes; null where there are none. */
  readonly fixTask: string | null;
  /** The last Response Object, as JSON; null before the first. */
  readonly response: string | null;
  readonly end: { readonly why: string; readonly message: string | null } | null;
  /** Grows with every fact: for `after` of the next call. */
  readonly facts: number;
}

/** An exchange in a list. */
export interface FeedbackLine extends Omit<FeedbackView, 'rounds' | 'response'> {
  readonly rounds: readonly Omit<RoundView, 'items'>[];
}

/** The exchanges about the work of a task, newest first. */
export interface FeedbackList {
  readonly feedbacks: readonly FeedbackLine[];
}

/** The review of a task by the agents of its policy. */
export interface ReviewBegun {
  readonly task: string;
  /** Null where nobody reviews it. */
  readonly feedback: string | null;
  /** Why nobody does; null where no policy asks for it. */
  readonly reason: string | null;
}

export interface FeedbackOpened {
  readonly feedback: string;
}
