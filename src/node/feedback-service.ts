import type { LiveRuns } from '../dispatch/attempt/live-runs.ts';
import type { RunTalk } from '../dispatch/attempt/run-talk.ts';
import type { QuotaHolds } from '../dispatch/order-agent.ts';
import type { TaskName } from '../domain/task/task.ts';
import { selectOpenFeedbacks } from '../ledger/statements/feedbacks.ts';
import { countUndecided } from '../ledger/statements/task-work.ts';
import type { OrderWorld } from '../orders/order-world.ts';
import { faultFacts } from '../platform/logger.ts';
import { Port } from '../platform/port.ts';
import type { ExchangeRunner } from '../reviews/exchange-runner.ts';
import type { StepWorld } from '../reviews/exchange-steps.ts';
import type { FeedbackProvider } from '../reviews/feedback-provider.ts';
import type { ReviewsDue } from '../reviews/reviews-due.ts';
import type { TaskReviews } from '../reviews/task-reviews.ts';
import type { OrderService } from './order-service.ts';

type FixingParts = Pick<StepWorld, 'dispatcher' | 'stopTask'>;

/** The orders by which agents deal with findings. */
export function fixingParts(
  { orders, dispatcher }: OrderService,
  { isBrief = false }: { readonly isBrief?: boolean },
): FixingParts {
  const stopTask = async (task: TaskName) => void (await orders.stopOrder({ task }, undefined));
  return { dispatcher: isBrief ? null : dispatcher, stopTask };
}

interface FeedbackParts {
  readonly world: OrderWorld;
  readonly live: LiveRuns;
  readonly talk: RunTalk;
  readonly quota: QuotaHolds;
  readonly due: ReviewsDue;
}

/** The part of a node that asks reviewers. Loaded with the first request: most commands ask nobody. */
export class FeedbackService {
  readonly #parts: FeedbackParts;
  readonly #world: OrderWorld;
  readonly #fixing = new Port<FixingParts>();
  #provider: Promise<FeedbackProvider> | null = null;
  #exchanges: Promise<ExchangeRunner> | null = null;
  #reviews: Promise<TaskReviews> | null = null;
  /** Null until the node is to continue exchanges and reviews. */
  #work: Promise<void> | null = null;
  #isStarted = false;

  constructor(parts: FeedbackParts) {
    this.#parts = parts;
    this.#world = parts.world;
    parts.due.listen(() => this.reviewDue());
  }

  /** Connects the orders that deal with findings: an exchange that is begun before waits for them. */
  connect(fixing: FixingParts): void {
    this.#fixing.connect(fixing);
  }

  readonly provider = (): Promise<FeedbackProvider> => {
    const { world, due: _, ...running } = this.#parts;
    this.#provider ??= import('../reviews/feedback-provider.ts').then(
      ({ FeedbackProvider: Provider }) => new Provider({ ...world, ...running }),
    );
    return this.#provider;
  };

  readonly exchanges = (): Promise<ExchangeRunner> => {
    const { provider } = this;
    this.#exchanges ??= import('../reviews/exchange-runner.ts').then(
      async ({ ExchangeRunner: Runner }) =>
        new Runner({ world: this.#world, ...(await this.#fixing.wait()), provider }),
    );
    return this.#exchanges;
  };

  /** Continues the exchanges that an earlier node left, and has work in review reviewed by the policy of its order. */
  start(): void {
    const { read } = this.#world.ledger;
    this.#isStarted = true;
    if (selectOpenFeedbacks(read, 1).length > 0 || countUndecided(read, 'review') > 0) this.reviewDue();
  }

  /** Loads the reviews of tasks when the first work may need one. */
  readonly reviewDue = (): void => {
    if (!this.#isStarted) return;
    const onFault = (error: unknown) => this.#world.log.log('feedback.failed', faultFacts(error));
    this.#work ??= this.#begin().catch(onFault);
  };

  /** The reviews of tasks; started only where the node continues them by itself. */
  readonly reviews = (): Promise<TaskReviews> => {
    this.#reviews ??= import('../reviews/task-reviews.ts').then(
      async ({ TaskReviews: Reviews }) => new Reviews(this.#world, await this.exchanges()),
    );
    return this.#reviews;
  };

  async #begin(): Promise<void> {
    const reviews = await this.reviews();
    (await this.exchanges()).recover();
    reviews.start();
  }

  /** Ends what is being answered, as lost; the next node continues it. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    await this.#work;
    (await this.#reviews)?.stop();
    const exchanges = (await this.#exchanges)?.stop();
    await (await this.#provider)?.stop();
    await exchanges;
  }
}
