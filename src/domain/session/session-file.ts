import type { OrderTerms, OrderText } from '../order/decide-order.ts';
import type { OrderFlags } from '../order/order-request.ts';
import type { Refusal } from '../refusal.ts';
import type { SessionTerms } from './session-terms.ts';

/** Flags of one task in a session file that is written in words. */
export type TaskFlags = Pick<OrderFlags, 'agent' | 'checks' | 'timeoutSeconds' | 'retries' | 'budgetUsd'>;

/** One task of a session file. */
export interface MemberReading extends OrderText {
  /** Absent where the text itself says everything. */
  readonly flags?: TaskFlags;
}

/** The content of a session file. */
export interface SessionReading {
  readonly sessionId: string;
  readonly terms: SessionTerms;
  /** The tasks work in worktrees of their own; null leaves that to the caller. */
  readonly isWorktreeWanted: boolean | null;
  readonly form: SessionForm;
  /** In the order of the file. */
  readonly members: readonly MemberReading[];
}

/** TASKs of AOP, or Baton's short form for people. */
export type SessionForm = 'messages' | 'words';

export interface SessionTextTerms {
  /** For a text that has no id of its own. */
  readonly sessionId: string;
  /** The caller's flags and those of a task in words; null for a message, which names its agent and checks itself. */
  termsFor(flags: TaskFlags | null): OrderTerms;
}

/** Reads a session file; refuses it whole. */
export type ReadSession = (text: string, terms: SessionTextTerms) => SessionReading | Refusal;
