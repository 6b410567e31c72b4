import { assertNever } from '../assert-never.ts';
import { liftSessionCodes } from '../execution/lift-codes.ts';
import { liftSessionReport } from '../execution/lift-verdicts.ts';
import type { TaskName } from '../task/task.ts';
import type { SessionReport } from './session-report.ts';
import type { SessionStop, SessionTerms } from './session-terms.ts';

/**
 * The history of a session, beside the facts of its orders. Each fact is a row of the ledger, in one commit with everything
 * that follows from it.
 */
export type SessionFact =
  /** The tasks arrived with it; again if the session was over and is submitted anew. */
  | {
      readonly kind: 'submitted';
      readonly terms: SessionTerms;
      readonly tasks: number;
      /** The awake time of the data folder at that instant. */
      readonly awakeMs: number;
      readonly by: string;
    }
  /** A task was added to the open session: by an agent that may delegate, or by an operator. */
  | { readonly kind: 'joined'; readonly task: TaskName; readonly member: string; readonly by: string }
  /** Nothing more of it starts, and running agents are ended. */
  | ({ readonly kind: 'stopped' } & SessionStop)
  /** An operator continues the tasks that were not done. */
  | {
      readonly kind: 'reopened';
      readonly tasks: readonly TaskName[];
      /** In place of the terms before. */
      readonly terms: SessionTerms;
      readonly awakeMs: number;
      readonly by: string;
    }
  | { readonly kind: 'reported'; readonly report: SessionReport };

const SESSION_FACT_VERSION = 3;

/** A fact as the ledger stores it. */
export function storedSessionFact(fact: SessionFact): SessionFact & { readonly v: number } {
  return { v: SESSION_FACT_VERSION, ...fact };
}

/** A fact of any version as the kernel reads it today. */
export function liftSessionFact({ v, ...fact }: { readonly v: number }): SessionFact {
  if (v > SESSION_FACT_VERSION) throw new Error(`a fact of version ${v} is from a newer Baton`);
  const read = fact as SessionFact;
  if (v === SESSION_FACT_VERSION || read.kind !== 'reported') return read;
  const report = v === 1 ? liftSessionReport(read.report) : read.report;
  return { ...read, report: liftSessionCodes(report) };
}

/** The state that the facts of a session add up to. */
export interface Session {
  readonly terms: SessionTerms;
  /** The awake time at which its limit on time began to count. */
  readonly awakeSinceMs: number;
  /** Null while it runs as planned, and again after it was reopened. */
  readonly stop: SessionStop | null;
  /** Null while it is open. */
  readonly report: SessionReport | null;
}

/** The session after its facts, oldest first. */
export function replaySession([first, ...later]: readonly SessionFact[]): Session {
  if (first?.kind !== 'submitted') throw new Error('the first fact of a session is its submission');
  return later.reduce(takeSessionFact, begun(first));
}

function begun({ terms, awakeMs }: { readonly terms: SessionTerms; readonly awakeMs: number }): Session {
  return { terms, awakeSinceMs: awakeMs, stop: null, report: null };
}

function takeSessionFact(session: Session, fact: SessionFact): Session {
  switch (fact.kind) {
    case 'submitted':
    case 'reopened':
      return begun(fact);
    case 'joined':
      return session;
    case 'stopped':
      return { ...session, stop: { cause: fact.cause, by: fact.by, message: fact.message } };
    case 'reported':
      return { ...session, report: fact.report };
    default:
      return assertNever(fact);
  }
}
