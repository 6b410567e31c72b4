import type { AgentFacts } from '../domain/agent.ts';
import type { FeedbackSession } from '../domain/feedback-session.ts';
import type { Prompt } from '../domain/prompt.ts';
import { encodeAfp } from '../protocols/afp/encode.ts';
import type { AfpRequest } from '../protocols/afp/schema.ts';
import { writeFeedbackPrompt } from '../protocols/afp/write-prompt.ts';
import type { Problem } from '../protocols/codec.ts';
import type { Iteration } from './asked-feedback.ts';

/** One try at the answer to an iteration. */
export interface Try {
  readonly iteration: Iteration;
  readonly agent: AgentFacts;
  readonly session: FeedbackSession;
  /** The faults of the answer before; null for the first try. */
  readonly problems: readonly Problem[] | null;
  /** Begins a session with its vendor, whatever there was before. */
  readonly isFresh: boolean;
}

/** The vendor's session with the earlier iterations, or that of the first try of this one; null to begin one. */
export function resumedBy({ session, problems, isFresh }: Try): string | null {
  const own = problems === null ? null : (session.open?.vendorSession ?? null);
  return own ?? (isFresh ? null : session.vendorSession);
}

/** The words for a model, and the request itself for a program that reads it. `mark` occurs nowhere in the artifact. */
export function reviewerPrompt({ iteration, session, problems }: Try, resume: string | null, mark: string): Prompt {
  const { request, decisions } = iteration.request;
  const isResumed = resume !== null;
  const words = writeFeedbackPrompt({
    request,
    mark,
    isResumed,
    findings: session.findings,
    decisions: isResumed ? decisions : session.decisions,
    problems,
  });
  return { words, ordered: null, message: { protocol: 'afp', text: encodeAfp(withProblems(request, problems)) } };
}

/** A program reads what was wrong from the request itself. */
function withProblems(request: AfpRequest, problems: Try['problems']): AfpRequest {
  if (problems === null) return request;
  return { ...request, 'x-problems': problems.map(({ path, message }) => ({ path, message })) } as AfpRequest;
}
