import type { EndedFact } from '../dispatch/attempt/attempt.ts';
import type { AgentSignal } from '../domain/agent/agent-signal.ts';
import type { Prompt } from '../domain/order/prompt.ts';
import { type FeedbackSession, spentBefore } from '../domain/review/feedback-session.ts';
import { encodeAfp } from '../protocols/afp/encode.ts';
import type { AfpRequest } from '../protocols/afp/schema.ts';
import { writeFeedbackPrompt } from '../protocols/afp/write-prompt.ts';
import type { Problem } from '../protocols/codec.ts';
import { type AgentAnswer, askAgent } from './ask-agent.ts';
import type { Iteration, ProviderWorld } from './asked-feedback.ts';
import { mustKeepFact } from './keep-fact.ts';
import { noteReviewer } from './note-reviewer.ts';
import { recordTry } from './record-feedback-session.ts';
import { reviewerLaunch } from './reviewer-launch.ts';

/** Runs the provider's program once for an iteration, and records its start, its vendor's session and its end. */
export async function tryOnce(
  world: ProviderWorld,
  about: Try,
): Promise<AgentAnswer & { readonly isSessionRefused: boolean }> {
  const { iteration, session } = about;
  const { session: sessionId, terms } = iteration;
  const runId = `rvw_${world.ids.ulid()}`;
  const resume = resumedBy(about);
  const launch = await reviewerLaunch(world, {
    terms,
    prompt: reviewerPrompt(about, resume, `artifact-${world.ids.ulid().toLowerCase()}`),
    workspace: session.workspace,
    shown: iteration.shown ?? null,
    run: { runId, agent: terms.agent.name, sessionId, holder: null },
    resume,
    spentInSession: resume === null ? null : spentBefore(session, resume),
    earlierUsd: session.open?.spend.costUsd ?? 0,
    timeoutSeconds: iteration.timeoutSeconds ?? null,
    stop: iteration.stop.signal,
  });
  const write = async (fact: Parameters<typeof recordTry>[1]['fact']) => {
    await mustKeepFact(world.ledger, fact.kind, { command: recordTry, facts: { session: sessionId, fact } });
  };
  const said = await askAgent(world, launch, {
    onLaunched: (process) => {
      const { pid = null, startTicks = null } = process ?? {};
      return write({ kind: 'launched', runId, pid, startTicks, resumed: resume });
    },
    onSession: (opened) => write({ kind: 'vendor-session', runId, session: opened }),
    onSignal: (signal) => note(world, { ...iteration, runId }, signal),
  });
  const { costUsd, tokens, tokensInput, tokensOutput } = said.end.spend;
  await write({ kind: 'ended', runId, spend: { costUsd, tokens, tokensInput, tokensOutput } });
  return { ...said, isSessionRefused: resume !== null && said.vendorSession === null && hasCrashed(said.end) };
}

function hasCrashed({ end }: EndedFact): boolean {
  return end.kind === 'failed' && end.code === 'process-crashed' && end.isNotStarted !== true;
}

interface NotedTry extends Pick<Iteration, 'session' | 'agent' | 'request'> {
  readonly runId: string;
}

/** People see what a reviewer thinks and does; nothing depends on it. */
function note({ ledger, log }: ProviderWorld, { session, agent, runId, request }: NotedTry, signal: AgentSignal): void {
  if (signal.kind !== 'thought' && signal.kind !== 'tool') return;
  const facts = { session, agent, runId, taskId: request.taskId, signal };
  void ledger.submit(noteReviewer, facts).catch(() => log.log('feedback.note_failed', { session }));
}

/** One try at the answer to an iteration. */
interface Try {
  readonly iteration: Iteration;
  readonly session: FeedbackSession;
  /** The faults of the answer before; null for the first try. */
  readonly problems: readonly Problem[] | null;
  /** Begins a session with its vendor, whatever there was before. */
  readonly isFresh: boolean;
}

/** The vendor's session with the earlier iterations, or that of the first try of this one; null to begin one. */
function resumedBy({ session, problems, isFresh }: Try): string | null {
  const own = problems === null ? null : (session.open?.vendorSession ?? null);
  return own ?? (isFresh ? null : session.vendorSession);
}

/** The words for a model, and the request itself for a program that reads it. `mark` occurs nowhere in the artifact. */
function reviewerPrompt({ iteration, session, problems }: Try, resume: string | null, mark: string): Prompt {
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
