import { leftWork } from '../dispatch/work/left-work.ts';
import { chooseReviewers } from '../domain/decisions/choose-reviewers.ts';
import { lastRun } from '../domain/execution/execution.ts';
import { ATTENTION_SHOWN_MAX } from '../domain/limits.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Task, TaskName } from '../domain/task.ts';
import { selectLastMove } from '../ledger/statements/events.ts';
import { selectLastFeedbackOf } from '../ledger/statements/feedbacks.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectUndecided } from '../ledger/statements/task-work.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { readExchange } from '../operations/feedback-exchange.ts';
import { faultFacts } from '../platform/logger.ts';
import { authorsOf } from './begin-exchange.ts';
import type { ExchangeRunner } from './exchange-runner.ts';
import type { StepWorld } from './exchange-steps.ts';

/**
 * Has work that comes to review reviewed by another agent, by the policy that its order was accepted with. The policy is the operator's:
 * nothing that an agent writes changes it, and its reviewers only give findings.
 */
export class TaskReviews {
  readonly #world: StepWorld['world'];
  readonly #runner: ExchangeRunner;
  /** In review, with a report still to be written. */
  readonly #unreported = new Set<TaskName>();
  readonly #beginning = new Set<TaskName>();
  #forget: () => void = () => {};

  constructor(world: StepWorld['world'], runner: ExchangeRunner) {
    this.#world = world;
    this.#runner = runner;
  }

  start(): void {
    const { ledger } = this.#world;
    this.#forget = ledger.onCommitted((touched) => {
      for (const task of new Set([...touched, ...this.#unreported])) this.#look(task);
    });
    for (const { id } of selectUndecided(ledger.read, 'review', ATTENTION_SHOWN_MAX)) this.#look(id);
  }

  stop(): void {
    this.#forget();
  }

  #look(id: TaskName): void {
    const { ledger, log } = this.#world;
    const task = selectTask(ledger.read, id);
    const row = task?.status === 'review' ? selectOrder(ledger.read, id) : null;
    this.#unreported.delete(id);
    if (!task || !row || this.#beginning.has(id)) return;
    if (row.isOpen) this.#unreported.add(id);
    else if (!this.#isReviewed(task)) {
      this.#beginning.add(id);
      void this.#begin(id)
        .catch((error: unknown) => log.log('review.failed', { task: id, ...faultFacts(error) }))
        .finally(() => this.#beginning.delete(id));
    }
  }

  /** Its work is being reviewed, or was since it came to review. */
  #isReviewed({ id }: Task): boolean {
    const { read } = this.#world.ledger;
    const last = selectLastFeedbackOf(read, id);
    const exchange = last === null ? null : readExchange(read, last);
    if (exchange === null || isRefusal(exchange)) return this.#runner.isFixedBy(id);
    return exchange.end === null || exchange.reviewSeq === selectLastMove(read, id).seq;
  }

  async #begin(id: TaskName): Promise<void> {
    const { ledger, log, settings } = this.#world;
    const work = leftWork(ledger.read, id);
    if (isRefusal(work)) return;
    const { agents, review: configured } = settings();
    const { review = configured } = work.execution.order.settings;
    if (!review) return;
    const authors = authorsOf(work);
    const reviewers = chooseReviewers({ ...review, authors, agents });
    if (reviewers.length === 0) {
      log.log('review.skipped', { task: id, reason: 'no agent of the policy may review it', authors });
      return;
    }
    const author = lastRun(work.execution)?.agent ?? null;
    const fixer = agents.some(({ name }) => name === author) ? author : null;
    const begun = await this.#runner.begin({
      task: id,
      workspace: work.execution.order.workspaceRoot,
      reviewers,
      fixer,
      decider: fixer === null ? 'nobody' : 'fixer',
      roundsMax: review.roundsMax,
      ask: null,
      checks: [],
      whenClean: review.whenClean,
    });
    if (isRefusal(begun)) log.log('review.skipped', { task: id, reason: begun.message });
  }
}
