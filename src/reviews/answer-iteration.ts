import type { EndedFact } from '../dispatch/attempt/attempt.ts';
import { assertNever } from '../domain/assert-never.ts';
import { type FailureCode, isRefusal } from '../domain/refusal.ts';
import type { FeedbackSession } from '../domain/review/feedback-session.ts';
import { errorResponse, sentAnswer } from '../protocols/afp/answer-request.ts';
import { type AnswerReading, readAnswer } from '../protocols/afp/read-answer.ts';
import type { Iteration, ProviderWorld } from './asked-feedback.ts';
import { mustKeepFact } from './keep-fact.ts';
import { answerSession, readFeedbackSession } from './record-feedback-session.ts';
import { whyDayIsSpent } from './reviewer-launch.ts';
import { tryOnce } from './try-once.ts';

type Response = ReturnType<typeof errorResponse>;
type Problems = Extract<AnswerReading, { readonly kind: 'none' }>['problems'];

/** The provider is asked again once, with what was wrong; nothing is repaired (afp:tool-layer). */
const TRIES_MAX = 2;

/** Answers one iteration and records the answer. A stop by the node's end leaves it open, to be ended as lost. */
export async function answerIteration(world: ProviderWorld, iteration: Iteration): Promise<void> {
  const response = await ask(world, iteration);
  if (response === null) throw new Error(`the node ends while ${iteration.session} is being answered`);
  const { session, request } = iteration;
  const { answered, taskId } = request;
  const facts = { session, taskId, iteration: answered.iteration, ...sentAnswer(response, answered) };
  await mustKeepFact(world.ledger, 'answered', { command: answerSession, facts });
}

/** Null if the node ends before there is an answer. */
async function ask(world: ProviderWorld, iteration: Iteration): Promise<Response | null> {
  const { request, stop } = iteration;
  const { agent } = iteration.terms;
  const held = world.quota.holdOf(agent);
  if (held !== null) {
    return failure(iteration, `${agent.name} is out of quota until ${new Date(held.until).toISOString()}`);
  }
  const spent = await whyDayIsSpent(world, agent);
  if (spent !== null) return failure(iteration, spent);
  let problems: Problems | null = null;
  let message = '';
  let isFresh = false;
  for (let tries = 1; tries <= TRIES_MAX; ) {
    const said = await tryOnce(world, { iteration, session: stateOf(world, iteration), problems, isFresh });
    if (stop.signal.aborted) return null;
    const reading = readAnswer(said.texts, request.iteration);
    if (reading.kind === 'answer') return reading.response;
    // The vendor did not take its session up again: the provider is told everything, and no try is used up.
    if (said.isSessionRefused && !isFresh) {
      isFresh = true;
      continue;
    }
    const end = describeEnd(said.end, agent.name);
    const why = end.isFinished ? `${agent.name} gave no Response Object: ${listed(reading.problems)}` : end.text;
    message = end.isRepeatable ? `${why}${printedText(said.lastLine)}` : why;
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
  const found = readFeedbackSession(ledger.read, session);
  if (isRefusal(found)) throw new Error(found.message);
  return found;
}

/** Its own words often say why; JSON is judged already. */
function printedText(line: string | null): string {
  return line === null || /^[{}[\]"]/.test(line) ? '' : `; it printed: ${line}`;
}

const PROBLEMS_TOLD_MAX = 5;

function listed(problems: Problems): string {
  const told = problems.slice(0, PROBLEMS_TOLD_MAX).map(({ message }) => message);
  const rest = problems.length - told.length;
  return `${told.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`;
}

interface DescribedEnd {
  /** The provider ended in order: what it said is to blame. */
  readonly isFinished: boolean;
  /** Another try may end otherwise. */
  readonly isRepeatable: boolean;
  /** Why there is no answer, for the requester. */
  readonly text: string;
}

/** Failures that another try would meet again, or that have cost their whole time already. */
const LASTING: ReadonlySet<FailureCode> = new Set([
  'timeout',
  'agent-not-found',
  'permission-denied',
  'budget-exceeded',
  'model-unavailable',
]);

/** The end of a provider's process that left no Response Object. */
function describeEnd({ end }: Pick<EndedFact, 'end'>, agent: string): DescribedEnd {
  switch (end.kind) {
    case 'finished':
      return { isFinished: true, isRepeatable: true, text: '' };
    case 'failed': {
      const isRepeatable = !LASTING.has(end.code) && end.isNotStarted !== true;
      return { isFinished: false, isRepeatable, text: `${agent} failed: ${end.message}` };
    }
    case 'out-of-quota': {
      const until = new Date(end.until).toISOString();
      return {
        isFinished: false,
        isRepeatable: false,
        text: `${agent} is out of quota until ${until}: ${end.message}`,
      };
    }
    case 'stopped':
      return { isFinished: false, isRepeatable: false, text: `${agent} was stopped by ${end.by}` };
    case 'lost':
      return { isFinished: false, isRepeatable: false, text: `${agent} was stopped with its node` };
    default:
      return assertNever(end);
  }
}
