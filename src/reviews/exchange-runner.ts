import { assertNever } from '../domain/assert-never.ts';
import { FIX_LOOK_MS, RECOVERY_RUNS_PER_TICK_MAX } from '../domain/limits.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import type { Exchange } from '../domain/review/feedback-exchange.ts';
import { planRound, type RoundStep } from '../domain/review/plan-round.ts';
import type { TaskName } from '../domain/task/task.ts';
import { selectOpenFeedbacks } from '../ledger/statements/feedbacks.ts';
import { faultFacts } from '../platform/logger.ts';
import { waitAtMost } from '../platform/timer.ts';
import { beginExchange, type ExchangeRequest } from './begin-exchange.ts';
import { askReviewers, beginFix, type OpenExchange, type StepWorld } from './exchange-steps.ts';
import { fixOf, isWorkChecked } from './fix-result.ts';
import { keepUnlessOver } from './keep-fact.ts';
import { endByApproval } from './policy-review.ts';
import { endExchange, readExchange, recordFixed } from './record-exchange.ts';

const NEWS_LOOKS_MAX = 5;

/**
 * Advances exchanges in rounds. It replays the facts of one, asks `planRound`, does the step and writes its result as the next
 * fact, so that the next node continues from the same step with the same code.
 */
export class ExchangeRunner {
  readonly #parts: StepWorld;
  readonly #driven = new Map<string, Promise<void>>();
  #isClosing = false;

  constructor(parts: StepWorld) {
    this.#parts = parts;
  }

  /** Opens an exchange and begins with it. */
  async begin(request: ExchangeRequest): Promise<{ readonly id: string } | Refusal> {
    const begun = await beginExchange(this.#parts.world, request);
    if (!isRefusal(begun)) this.carry(begun.id);
    return begun;
  }

  /** Ends an exchange for an operator, with everything that is under way for it. */
  async end(id: string): Promise<Refusal | null> {
    const { world, provider, stopTask } = this.#parts;
    const exchange = readExchange(world.ledger.read, id);
    if (isRefusal(exchange)) return exchange;
    const facts = { id, why: 'stopped' as const, message: null };
    const ended = await world.ledger.submit(endExchange, facts);
    if (isRefusal(ended)) return ended;
    for (const { session } of Object.values(exchange.asked)) (await provider()).cancel(session);
    if (exchange.fixing !== null && exchange.fixed === null) await stopTask(exchange.fixing.taskId);
    return null;
  }

  /** Continues every exchange that an earlier node left. */
  recover(): void {
    for (const id of selectOpenFeedbacks(this.#parts.world.ledger.read, RECOVERY_RUNS_PER_TICK_MAX)) this.carry(id);
  }

  /** Continues an exchange, unless this node does so already. */
  carry(id: string): void {
    if (this.#isClosing || this.#driven.has(id)) return;
    const { log } = this.#parts.world;
    const driven = this.#drive(id)
      .catch((error: unknown) => log.log('feedback.failed', { feedback: id, ...faultFacts(error) }))
      .finally(() => this.#driven.delete(id));
    this.#driven.set(id, driven);
  }

  /** Waits for news, but no longer than a caller waits for an answer. */
  async changed(isNews: () => boolean): Promise<void> {
    for (let looks = 0; looks < NEWS_LOOKS_MAX && !isNews() && !this.#isClosing; looks++) await this.#nextCommit();
  }

  async stop(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#driven.values());
  }

  async #drive(id: string): Promise<void> {
    while (!this.#isClosing) {
      const exchange = readExchange(this.#parts.world.ledger.read, id);
      if (isRefusal(exchange)) return;
      if (!(await this.#perform({ id, exchange }, planRound(exchange)))) return;
    }
  }

  /** False where nothing is left for this node to do. */
  async #perform(open: OpenExchange, step: RoundStep): Promise<boolean> {
    switch (step.kind) {
      case 'rest':
      case 'decide':
      case 'await-review':
        return false;
      case 'ask':
        await askReviewers(this.#parts, open, step);
        return true;
      case 'fix': {
        const refusal = await beginFix(this.#parts, open, step.items);
        if (refusal !== null) await this.#refused(open, refusal);
        return true;
      }
      case 'await-fix':
        return await this.#awaitFix(open, step.taskId);
      case 'end':
        await this.#end(open, step);
        return false;
      default:
        return assertNever(step);
    }
  }

  async #refused(open: OpenExchange, { code, message }: Refusal): Promise<void> {
    if (code === 'review_answered') await this.#end(open, { why: 'overtaken', message: null });
    else await this.#end(open, { why: 'fix-failed', message });
  }

  /** False where the node ends first. A change that is over by then is recorded all the same. */
  async #awaitFix(open: OpenExchange, taskId: TaskName): Promise<boolean> {
    this.#parts.dispatcher?.carry(taskId);
    while (!(await this.#keepFix(open))) {
      if (this.#isClosing) return false;
      await this.#nextCommit();
    }
    return true;
  }

  /** False while the change is under way. */
  async #keepFix({ id, exchange }: OpenExchange): Promise<boolean> {
    const { world } = this.#parts;
    const fix = fixOf(world, exchange);
    if (fix === null) return false;
    const facts = { id, round: exchange.round, ...fix };
    await keepUnlessOver(world.ledger, 'exchange-fixed', { command: recordFixed, facts });
    return true;
  }

  /** Records a change that is over, which this node may not have seen. */
  async settle(open: OpenExchange): Promise<void> {
    if (open.exchange.fixing !== null && open.exchange.fixed === null) await this.#keepFix(open);
  }

  async #end({ id, exchange }: OpenExchange, { why, message }: NonNullable<Exchange['end']>): Promise<void> {
    const { world } = this.#parts;
    const { subject, whenClean, reviewers } = exchange;
    const isAccepted = whenClean === 'done' && why === 'nothing-left' && message === null;
    if (isAccepted && subject.kind === 'task') {
      const facts = { id, reviewer: reviewers[0] ?? '', isChecked: isWorkChecked(world, subject.taskId) };
      await keepUnlessOver(world.ledger, 'exchange-ended', { command: endByApproval, facts });
      return;
    }
    const facts = { id, why, message };
    await keepUnlessOver(world.ledger, 'exchange-ended', { command: endExchange, facts });
  }

  async #nextCommit(): Promise<void> {
    const { ledger } = this.#parts.world;
    let forget = () => {};
    const committed = new Promise<void>((resolve) => {
      forget = ledger.onCommitted(() => resolve());
    });
    await waitAtMost(committed, FIX_LOOK_MS);
    forget();
  }
}
