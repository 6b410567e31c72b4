import type { UsedCapability } from '../federation/capability-review.ts';
import type { ReceiverAnswer } from './receiver-answer.ts';
import type { Receiver } from './sent-terms.ts';

/** The history of an order that another node runs. */
export type SentFact =
  /** Its task_create is in the outbox, in the same commit. */
  | {
      readonly kind: 'sent';
      /** The event of the first attempt. */
      readonly eventId: string;
      readonly corrId: string;
      readonly to: readonly Receiver[];
      /** The capabilities that its agent must have, as they were published then. */
      readonly capabilities: readonly UsedCapability[];
      /** The content that went along: a result has to be of it. Absent where none did. */
      readonly parcel?: unknown;
      readonly at: number;
    }
  /** One of those that it was sent to has accepted it: the run is its lease. */
  | {
      readonly kind: 'taken';
      readonly runId: string;
      readonly node: string;
      readonly agent: string;
      readonly etaAt: number;
      readonly plan: string;
      readonly theirTask: string | null;
      readonly at: number;
    }
  /** Nobody of those that it was sent to is there any more: it is sent to others. */
  | {
      readonly kind: 'strayed';
      readonly nodes: readonly string[];
      readonly reason: string;
      /** They are there, and do not do it: they are not asked again. */
      readonly isRefused?: true;
      /** They lack files that they had before: it is sent with all of them. */
      readonly isLacking?: true;
      readonly at: number;
    }
  /** The nodes that have it were told to stop. */
  | { readonly kind: 'recalled'; readonly nodes: readonly string[]; readonly reason: string; readonly at: number }
  /** It has not ended in time. */
  | { readonly kind: 'overdue'; readonly etaAt: number; readonly at: number }
  | {
      readonly kind: 'answered';
      /** Null for a refusal before anybody accepted it. */
      readonly runId: string | null;
      readonly node: string;
      readonly agent: string;
      readonly answer: ReceiverAnswer;
      readonly at: number;
    }
  /** The answer was looked at, and its files are here. */
  | {
      readonly kind: 'brought';
      /** Results that break the contract of a capability. */
      readonly violations: readonly string[];
      /** Why the files could not be brought in; null where they were, or none came. */
      readonly problem: string | null;
      readonly at: number;
    };

type Of<Kind extends SentFact['kind']> = Extract<SentFact, { readonly kind: Kind }>;

/** Everything that is known about an order on another node. */
export interface SentState {
  /** Null before it was sent, and after nobody was there any more. */
  readonly sent: Of<'sent'> | null;
  readonly taken: Of<'taken'> | null;
  readonly recalled: Of<'recalled'> | null;
  readonly overdue: Of<'overdue'> | null;
  readonly answered: Of<'answered'> | null;
  readonly brought: Of<'brought'> | null;
  /** It is sent with all its files, whatever the other node may have. */
  readonly isWhole: boolean;
  /** Nodes that did not want it, each with its reason. */
  readonly refusals: readonly { readonly node: string; readonly reason: string }[];
}

/** Nothing is known of the node that it goes to now. */
const NOT_TAKEN = { sent: null, taken: null, recalled: null, answered: null, brought: null } as const;

export const NOT_SENT: SentState = {
  ...NOT_TAKEN,
  overdue: null,
  isWhole: false,
  refusals: [],
};

/** The state after one more fact. */
export function takeSentFact(state: SentState, fact: SentFact): SentState {
  switch (fact.kind) {
    case 'sent':
      return { ...state, ...NOT_TAKEN, sent: fact };
    case 'strayed': {
      const refusals = fact.isRefused ? fact.nodes.map((node) => ({ node, reason: fact.reason })) : [];
      const isWhole = state.isWhole || fact.isLacking === true;
      return { ...state, ...NOT_TAKEN, isWhole, refusals: [...state.refusals, ...refusals] };
    }
    case 'taken':
      return { ...state, taken: fact };
    case 'recalled':
      return { ...state, recalled: fact };
    case 'overdue':
      return { ...state, overdue: fact };
    case 'answered':
      return { ...state, answered: fact };
    case 'brought':
      return { ...state, brought: fact };
  }
}

/** The nodes that may have the order now. */
export function holdersOf({ sent, taken }: SentState): readonly string[] {
  if (taken !== null) return [taken.node];
  return [...new Set((sent?.to ?? []).map(({ node }) => node))];
}
