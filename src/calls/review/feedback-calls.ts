import { isAbsolute } from 'node:path';
import type { Calls, RequestOf } from '../../api/node-client.ts';
import type { FeedbackAnswerView } from '../../api/review/feedback-contract.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Receive } from '../../messages/receive.ts';
import { refusalOf } from '../../messages/received.ts';
import type { FeedbackAnswer, FeedbackProvider } from '../../reviews/feedback-provider.ts';
import { readFeedbackSession } from '../../reviews/record-feedback-session.ts';

export interface FeedbackParts {
  readonly ledger: Ledger;
  readonly receive: Receive;
  /** Loaded with the first request. */
  provider(): Promise<FeedbackProvider>;
}

/** AFP's tool layer for callers of a node. */
export function feedbackCalls({
  ledger,
  provider,
  receive,
}: FeedbackParts): Pick<Calls, 'askFeedback' | 'awaitFeedback'> {
  return {
    askFeedback: async (request) => {
      const agent = agentOf(ledger, request);
      if (isRefusal(agent)) return agent;
      const { text, workspace, session = null, timeoutSeconds } = request;
      if (!isAbsolute(workspace))
        return refuse('invalid_argument', 'the workspace must be an absolute path', '/workspace');
      const asks = { agent, session, workspace, ...(timeoutSeconds !== undefined && { timeoutSeconds }) };
      const received = await receive(text, { kind: 'operator', run: null }, { asks });
      const { feedback: begun } = received;
      if (!begun) return refusalOf(received);
      const { answer, askedAt } = begun;
      // Whoever asked fetches it; a fault is told there, too.
      answer.catch(() => null);
      const atOnce = begun.isAnswered ? await answer : null;
      if (isRefusal(atOnce)) return atOnce;
      const { session: id, iteration, warnings } = begun;
      return { session: id, iteration, askedAt: instant(askedAt), warnings, answer: atOnce && viewAnswer(atOnce) };
    },
    awaitFeedback: async ({ session, iteration }) => {
      const answer = await (await provider()).answerTo(session, iteration);
      return isRefusal(answer) ? answer : { answer: viewAnswer(answer) };
    },
  };
}

function agentOf(ledger: Ledger, { agent, session }: RequestOf<'askFeedback'>): string | Refusal {
  if (agent !== undefined) return agent;
  if (session === undefined) {
    return { ...refuse('invalid_argument', 'no agent is named', '/agent'), hint: 'baton agents lists them' };
  }
  const found = readFeedbackSession(ledger.read, session);
  return isRefusal(found) ? found : found.agent;
}

function viewAnswer({ text, askedAt, answeredAt, ...answer }: FeedbackAnswer): FeedbackAnswerView {
  const { session, iteration, isSuccess, costUsd, tokensInput, tokensOutput } = answer;
  return {
    session,
    iteration,
    response: text,
    isSuccess,
    askedAt: instant(askedAt),
    answeredAt: instant(answeredAt),
    costUsd,
    tokensInput,
    tokensOutput,
  };
}

function instant(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
