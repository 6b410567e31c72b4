import { lastRun } from '../domain/execution/execution.ts';
import { ATTENTION_SHOWN_MAX } from '../domain/limits.ts';
import type { ReviewPolicy } from '../domain/order/order.ts';
import { isRefusal } from '../domain/refusal.ts';
import { chooseReviewers } from '../domain/review/choose-reviewers.ts';
import type { TaskName } from '../domain/task/task.ts';
import { selectLastMove } from '../ledger/statements/events.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectUndecided } from '../ledger/statements/task-work.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import { faultFacts } from '../platform/logger.ts';
import { leftWork } from '../work/left-work.ts';
import { authorsOf } from './begin-exchange.ts';
import type { ExchangeRunner } from './exchange-runner.ts';
import type { StepWorld } from './exchange-steps.ts';
import { readPeerReview } from './record-exchange.ts';

/** A review by policy, or the reason why there is none. Both are null where no policy asks for one. */
export interface BegunReview {
  /** fbk_… */
  readonly feedback: string | null;
  readonly reason: string | null;
}

/**
 * Has work that comes to review reviewed by another agent, by the policy that its order was accepted with. The policy is the operator's:
 * nothing that an agent writes changes it, and its reviewers only give findings.
 */
export class TaskReviews {
  readonly #world: StepWorld['world'];
  readonly #runner: ExchangeRunner;
  /** In review, with a report still to be written. */
  readonly #unreported = new Set<TaskName>();
  readonly #beginning = new Map<TaskName, Promise<BegunReview>>();
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
    else if (this.#reviewOf(id) === null)
      void this.begin(id)
        .then(({ feedback, reason }) => {
          if (feedback === null && reason !== null) log.log('review.skipped', { task: id, reason });
        })
        .catch((error: unknown) => log.log('review.failed', { task: id, ...faultFacts(error) }));
  }

  /** The review of the work as it is now: under way, or over. */
  #reviewOf(id: TaskName): string | null {
    const { read } = this.#world.ledger;
    const last = readPeerReview(read, id);
    if (last === null) return null;
    const { end, reviewSeq } = last.exchange;
    return end === null || reviewSeq === selectLastMove(read, id).seq ? last.id : null;
  }

  /** Begins the review of a task in review, or continues one that an earlier node left. */
  async begin(id: TaskName): Promise<BegunReview> {
    const known = this.#reviewOf(id);
    if (known !== null) {
      this.#runner.carry(known);
      return { feedback: known, reason: null };
    }
    const beginning = this.#beginning.get(id) ?? this.#begin(id).finally(() => this.#beginning.delete(id));
    this.#beginning.set(id, beginning);
    return await beginning;
  }

  async #begin(id: TaskName): Promise<BegunReview> {
    const { ledger, roster } = this.#world;
    if (selectTask(ledger.read, id)?.status !== 'review') return { feedback: null, reason: `${id} is not in review` };
    const work = leftWork(ledger.read, id);
    if (isRefusal(work)) return { feedback: null, reason: work.message };
    const { agents, review: configured } = roster.settings();
    const { review = configured } = work.execution.order.settings;
    if (!review) return { feedback: null, reason: null };
    const authors = authorsOf(work);
    const reviewers = chooseReviewers({ ...review, authors, agents });
    if (reviewers.length === 0) return { feedback: null, reason: whyNobody(review, authors) };
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
    return isRefusal(begun) ? { feedback: null, reason: begun.message } : { feedback: begun.id, reason: null };
  }
}

function whyNobody({ by, isSameVendorAllowed }: ReviewPolicy, authors: readonly string[]): string {
  const vendor = isSameVendorAllowed ? '' : ', nor an agent of the same vendor';
  return `nobody of review.by (${by.join(', ')}) may review it: it must be ready, and not ${authors.join(', ')}${vendor}`;
}
