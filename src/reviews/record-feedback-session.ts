import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { Finding } from '../domain/review/feedback.ts';
import {
  type FeedbackSession,
  type FeedbackSessionFact,
  type ReviewerTerms,
  refuseIteration,
  replayFeedbackSession,
} from '../domain/review/feedback-session.ts';
import { DISPATCHER } from '../domain/task/decide-sender.ts';
import type { TaskName } from '../domain/task/task.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import {
  insertFeedbackSession,
  insertFeedbackSessionFact,
  selectFeedbackSession,
  selectFeedbackSessionFacts,
  updateSessionOpen,
} from '../ledger/statements/feedback-sessions.ts';
import type { Reader, Tx } from '../ledger/tx.ts';

type FactOf<Kind extends FeedbackSessionFact['kind']> = Extract<FeedbackSessionFact, { readonly kind: Kind }>;

/** A session with its state; a refusal if there is none. */
export function readFeedbackSession(read: Reader, id: string): FeedbackSession | Refusal {
  if (selectFeedbackSession(read, id) === null) {
    return {
      ...refuse('session_not_found', `there is no session ${id}`),
      hint: 'begin a session: name none',
    };
  }
  return replayFeedbackSession(selectFeedbackSessionFacts(read, id));
}

interface NewSession {
  readonly workspace: string;
  readonly terms: ReviewerTerms;
}

/** Opens a session of a requester with one provider. */
export const openFeedbackSession: Command<NewSession, { readonly id: string }> = (tx, { workspace, terms }) => {
  const agent = terms.agent.name;
  const id = `ses_${tx.moment.ids.ulid()}`;
  insertFeedbackSession(tx, { id, agent });
  insertFeedbackSessionFact(tx, id, { kind: 'opened', agent, workspace, terms, at: tx.moment.now.wallMs });
  return { id };
};

interface NewIteration extends Omit<FactOf<'asked'>, 'kind' | 'at'> {
  readonly session: string;
  /** The task that the artifact is the work of; null for any other artifact. */
  readonly taskId: TaskName | null;
  /** Whoever asks: a person, or Baton in an exchange. */
  readonly by: string;
}

/** Begins an iteration, unless it is not its turn (afp:iteration). */
export const askSession: Command<NewIteration, { readonly askedAt: number }> = (
  tx,
  { session, taskId, by, ...asked },
) => {
  const found = readFeedbackSession(tx, session);
  if (isRefusal(found)) return found;
  const why = refuseIteration(found, asked.iteration);
  if (why !== null) return refuse('INVALID_REQUEST', why, '/iteration');
  const at = tx.moment.now.wallMs;
  updateSessionOpen(tx, session, true);
  insertFeedbackSessionFact(tx, session, { kind: 'asked', ...asked, at });
  const { mediaType, ref, sha256, bytes } = asked.artifact;
  const artifact = ref ?? taskId ?? mediaType;
  const payload = { session, iteration: asked.iteration, agent: found.agent, artifact, mediaType, sha256, bytes };
  insertEvent(tx, { type: 'feedback.asked', actor: by, taskId, sessionId: session, payload });
  return { askedAt: at };
};

/** A fact of an iteration that is under way. Refused once it is over. */
export const recordTry: Command<
  { readonly session: string; readonly fact: FactOf<'launched' | 'vendor-session' | 'ended'> },
  { readonly isKept: true }
> = (tx, { session, fact }) => {
  const found = readOpen(tx, session);
  if (isRefusal(found)) return found;
  insertFeedbackSessionFact(tx, session, fact);
  return { isKept: true };
};

interface AnswerFacts {
  readonly session: string;
  readonly taskId: TaskName | null;
  readonly iteration: number;
  /** The Response Object. */
  readonly text: string;
  readonly findings: readonly Finding[];
  /** Null for a success. */
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Ends an iteration with the Response Object that the requester gets. */
export const answerSession: Command<AnswerFacts, { readonly answeredAt: number }> = (tx, facts) => {
  const { session, taskId, iteration, text, findings, error } = facts;
  const found = readOpen(tx, session);
  if (isRefusal(found)) return found;
  const at = tx.moment.now.wallMs;
  updateSessionOpen(tx, session, false);
  insertFeedbackSessionFact(tx, session, {
    kind: 'answered',
    iteration,
    isSuccess: error === null,
    text,
    findings,
    at,
  });
  const { costUsd, tokens } = found.open.spend;
  const about = error === null ? { status: 'success', findings: findings.length } : { status: 'error', ...error };
  const payload = { session, iteration, ...about, costUsd, tokens };
  insertEvent(tx, { type: 'feedback.answered', actor: found.agent, taskId, sessionId: session, payload });
  return { answeredAt: at };
};

/** Ends an iteration whose provider nobody watches any more. */
export const loseSession: Command<{ readonly session: string }, { readonly isLost: boolean }> = (tx, { session }) => {
  const found = readOpen(tx, session);
  if (isRefusal(found)) return { isLost: false };
  const { iteration, spend } = found.open;
  updateSessionOpen(tx, session, false);
  insertFeedbackSessionFact(tx, session, { kind: 'lost', iteration, at: tx.moment.now.wallMs });
  const payload = { session, iteration, costUsd: spend.costUsd, tokens: spend.tokens };
  insertEvent(tx, { type: 'feedback.lost', actor: DISPATCHER, taskId: null, sessionId: session, payload });
  return { isLost: true };
};

type OpenSession = FeedbackSession & { readonly open: NonNullable<FeedbackSession['open']> };

function readOpen(tx: Tx, session: string): OpenSession | Refusal {
  const found = readFeedbackSession(tx, session);
  if (isRefusal(found)) return found;
  const { open } = found;
  return open === null ? refuse('stale_run', `no iteration of ${session} is under way`) : { ...found, open };
}
