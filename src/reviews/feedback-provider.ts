import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import type { FeedbackSession } from '../domain/review/feedback-session.ts';
import { OPERATOR } from '../domain/task/decide-sender.ts';
import { faultFacts } from '../platform/logger.ts';
import { answerIteration } from './answer-iteration.ts';
import type { FeedbackAsk, Iteration, ProviderWorld } from './asked-feedback.ts';
import { keepFact } from './keep-fact.ts';
import { readRequest } from './read-feedback-request.ts';
import { askSession, loseSession, openFeedbackSession, readFeedbackSession } from './record-feedback-session.ts';
import { decideReviewer, refuseOpenReview } from './reviewer-launch.ts';

/** The answer to one request. */
export interface FeedbackAnswer {
  readonly session: string;
  readonly iteration: number;
  /** The Response Object. */
  readonly text: string;
  readonly isSuccess: boolean;
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly costUsd: number;
  readonly tokensInput: number;
  readonly tokensOutput: number;
}

/** A request that was taken: its answer is there, or will be. */
export interface FeedbackBegun {
  readonly session: string;
  readonly iteration: number;
  readonly askedAt: number;
  /** Remarks about the request. */
  readonly warnings: readonly string[];
  /** The request is wrong: the answer is there. */
  readonly isAnswered: boolean;
  readonly answer: Promise<FeedbackAnswer | Refusal>;
}

/**
 * AFP's tool layer: owns sessions, asks the agents behind them, and records each step before the next. A session that is not
 * known, and an agent that cannot review here, are refused before anything runs (afp:tool-layer).
 */
export class FeedbackProvider {
  readonly #world: ProviderWorld;
  /** Iterations that this process answers, by session. */
  readonly #answering = new Map<string, { readonly stop: AbortController; readonly answer: FeedbackBegun['answer'] }>();

  constructor(world: ProviderWorld) {
    this.#world = world;
  }

  /** Takes a request and begins to answer it. */
  async begin(ask: FeedbackAsk): Promise<FeedbackBegun | Refusal> {
    const { ledger } = this.#world;
    const known = this.#findSession(ask);
    if (isRefusal(known)) return known;
    const terms = known?.terms ?? ask.terms ?? decideReviewer(this.#world, ask.agent);
    if (isRefusal(terms)) return terms;
    const workspace = known?.workspace ?? ask.workspace;
    const refusal = await refuseOpenReview(this.#world, workspace);
    if (refusal) return refusal;
    const opened = ask.session === null ? await ledger.submit(openFeedbackSession, { workspace, terms }) : null;
    if (isRefusal(opened)) return opened;
    const session = ask.session ?? opened?.id ?? '';
    const request = readRequest(ask, { agent: terms.agent, known });
    if (request.kind === 'error') return this.#answeredAtOnce(session, request.text, request.iteration);
    const { iteration, artifact, decisions, taskId } = request;
    const decidedNow = known !== null && known.terms === null && { terms };
    const by = ask.by ?? OPERATOR;
    const facts = { session, iteration, artifact, decisions, taskId, by, ...decidedNow };
    const asked = await keepFact(ledger, 'asked', { command: askSession, facts });
    if (isRefusal(asked)) {
      if (asked.code !== 'INVALID_REQUEST') return asked;
      return this.#answeredAtOnce(session, request.refused(asked.message), iteration);
    }
    const stop = new AbortController();
    const answer = this.#answer({ ...ask, session, terms, request, stop });
    this.#answering.set(session, { stop, answer });
    return { session, iteration, askedAt: asked.askedAt, warnings: request.warnings, isAnswered: false, answer };
  }

  /** The answer to the last request of a session: as it was recorded, or as soon as it is. */
  async answerTo(session: string, iteration: number): Promise<FeedbackAnswer | Refusal> {
    const answering = this.#answering.get(session);
    if (answering) return await answering.answer;
    const found = readFeedbackSession(this.#world.ledger.read, session);
    if (isRefusal(found)) return found;
    const { last } = found;
    if (last?.iteration === iteration) return answerOf(session, last);
    return refuse('stale_run', `iteration ${iteration} of ${session} was lost with its node: send the request again`);
  }

  /** Ends the answer of one session, as lost. */
  cancel(session: string): void {
    this.#answering.get(session)?.stop.abort({ kind: 'loss' });
  }

  /** Ends what is being answered, as lost. */
  async stop(): Promise<void> {
    const all = [...this.#answering.values()];
    for (const { stop } of all) stop.abort({ kind: 'loss' });
    await Promise.all(all.map(({ answer }) => answer.catch(() => null)));
  }

  /** A session belongs to its agent: another one has not read what was said in it. */
  #findSession({ session: id, agent }: FeedbackAsk): FeedbackSession | Refusal | null {
    if (id === null) return null;
    const session = readFeedbackSession(this.#world.ledger.read, id);
    if (isRefusal(session) || session.agent === agent) return session;
    const refusal = refuse('invalid_argument', `${id} is a session with ${session.agent}, not with ${agent}`, '/agent');
    return { ...refusal, hint: `name ${session.agent}, or no session` };
  }

  /** A request that is wrong uses up no iteration. */
  #answeredAtOnce(session: string, text: string, iteration: number): FeedbackBegun {
    const { wallMs } = this.#world.clock.now();
    const times = { askedAt: wallMs, answeredAt: wallMs };
    const spend = { costUsd: 0, tokensInput: 0, tokensOutput: 0 };
    const answer = { session, iteration, text, isSuccess: false, ...times, ...spend };
    return { session, iteration, askedAt: wallMs, warnings: [], isAnswered: true, answer: Promise.resolve(answer) };
  }

  async #answer(iteration: Iteration): Promise<FeedbackAnswer | Refusal> {
    const { session, stop, request } = iteration;
    const { ledger, log } = this.#world;
    try {
      await answerIteration(this.#world, iteration);
    } catch (error) {
      stop.abort({ kind: 'loss' });
      log.log('feedback.failed', { session, ...faultFacts(error) });
      await ledger.submit(loseSession, { session });
      throw error;
    } finally {
      this.#answering.delete(session);
    }
    return await this.answerTo(session, request.iteration);
  }
}

function answerOf(session: string, last: NonNullable<FeedbackSession['last']>): FeedbackAnswer {
  const { iteration, text, isSuccess, askedAt, answeredAt, spend } = last;
  const { costUsd, tokensInput, tokensOutput } = spend;
  return { session, iteration, text, isSuccess, askedAt, answeredAt, costUsd, tokensInput, tokensOutput };
}
