import type { AgentFacts } from '../domain/agent.ts';
import type { FeedbackSession } from '../domain/feedback-session.ts';
import { isRefusal } from '../domain/refusal.ts';
import { answerSession, readSession } from '../operations/feedback-session.ts';
import { errorResponse, sentAnswer } from '../protocols/afp/answer-request.ts';
import { type AnswerReading, readAnswer } from '../protocols/afp/read-answer.ts';
import type { Iteration, ProviderWorld } from './asked-feedback.ts';
import { describeEnd } from './describe-end.ts';
import { mustKeepFact } from './keep-fact.ts';
import { findReviewer } from './reviewer-launch.ts';
import { tryOnce } from './try-once.ts';

type Response = ReturnType<typeof errorResponse>;
type Problems = Extract<AnswerReading, { readonly kind: 'none' }>['problems'];

/** The provider is asked again once, with what was wrong; nothing is repaired (afp:tool-layer). */
const TRIES_MAX = 2;

/** Answers one iteration and records the answer. A stop by the node's end leaves it open, to be ended as lost. */
export async function answerIteration(world: ProviderWorld, iteration: Iteration): Promise<void> {
  const agent = findReviewer(world, iteration.agent);
  const response = isRefusal(agent) ? failure(iteration, agent.message) : await ask(world, iteration, agent);
  if (response === null) throw new Error(`the node ends while ${iteration.session} is being answered`);
  const { session, request } = iteration;
  const { answered, taskId } = request;
  const facts = { session, taskId, iteration: answered.iteration, ...sentAnswer(response, answered) };
  await mustKeepFact(world.ledger, 'answered', { command: answerSession, facts });
}

/** Null if the node ends before there is an answer. */
async function ask(world: ProviderWorld, iteration: Iteration, agent: AgentFacts): Promise<Response | null> {
  const { request, stop } = iteration;
  const held = world.holdOf(agent.name);
  if (held !== null) {
    return failure(iteration, `${agent.name} is out of quota until ${new Date(held.until).toISOString()}`);
  }
  let problems: Problems | null = null;
  let message = '';
  let isFresh = false;
  for (let tries = 1; tries <= TRIES_MAX; ) {
    const said = await tryOnce(world, { iteration, agent, session: stateOf(world, iteration), problems, isFresh });
    if (stop.signal.aborted) return null;
    const reading = readAnswer(said.texts, request.iteration);
    if (reading.kind === 'answer') return reading.response;
    // The vendor did not take its session up again: the provider is told everything, and no try is used up.
    if (said.isSessionRefused && !isFresh) {
      isFresh = true;
      continue;
    }
    const end = describeEnd(said.end, agent.name);
    message = end.isFinished ? `${agent.name} gave no Response Object: ${listed(reading.problems)}` : end.text;
    if (!end.isRepeatable) break;
    problems = end.isFinished ? reading.problems : problems;
    tries++;
  }
  return failure(iteration, message);
}

function failure({ request }: Iteration, message: string): Response {
  return errorResponse(request.answered, { code: 'INTERNAL_ERROR', message });
}

function stateOf({ ledger }: ProviderWorld, { session }: Iteration): FeedbackSession {
  const found = readSession(ledger.read, session);
  if (isRefusal(found)) throw new Error(found.message);
  return found;
}

const PROBLEMS_TOLD_MAX = 5;

function listed(problems: Problems): string {
  const told = problems.slice(0, PROBLEMS_TOLD_MAX).map(({ message }) => message);
  const rest = problems.length - told.length;
  return `${told.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}
