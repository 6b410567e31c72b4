import type { TaskName } from '../domain/task/task.ts';
import { selectOpenFeedbacks } from '../ledger/statements/feedbacks.ts';
import { countUndecided } from '../ledger/statements/task-work.ts';
import { faultFacts } from '../platform/logger.ts';
import type { ExchangeRunner } from '../reviews/exchange-runner.ts';
import type { StepWorld } from '../reviews/exchange-steps.ts';
import type { FeedbackProvider } from '../reviews/feedback-provider.ts';
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

/** The part of a node that asks reviewers. Loaded with the first request: most commands ask nobody. */
export class FeedbackService {
  readonly #world: StepWorld['world'];
  readonly #fixing: () => FixingParts;
  #provider: Promise<FeedbackProvider> | null = null;
  #exchanges: Promise<ExchangeRunner> | null = null;
  #reviews: Promise<TaskReviews> | null = null;
  /** Null until the node is to continue exchanges and reviews. */
  #work: Promise<void> | null = null;
  #isStarted = false;

  constructor(world: StepWorld['world'], fixing: () => FixingParts) {
    this.#world = world;
    this.#fixing = fixing;
  }

  readonly provider = (): Promise<FeedbackProvider> => {
    this.#provider ??= import('../reviews/feedback-provider.ts').then(
      ({ FeedbackProvider: Provider }) => new Provider(this.#world),
    );
    return this.#provider;
  };

  readonly exchanges = (): Promise<ExchangeRunner> => {
    const { provider } = this;
    this.#exchanges ??= import('../reviews/exchange-runner.ts').then(
      ({ ExchangeRunner: Runner }) => new Runner({ world: this.#world, ...this.#fixing(), provider }),
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
