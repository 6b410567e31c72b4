import type { ProviderWorld } from '../feedback/asked-feedback.ts';
import type { FeedbackProvider } from '../feedback/feedback-provider.ts';

/** The part of a node that asks reviewers. Loaded with the first request: most commands ask nobody. */
export class FeedbackSide {
  readonly #world: ProviderWorld;
  #provider: Promise<FeedbackProvider> | null = null;

  constructor(world: ProviderWorld) {
    this.#world = world;
  }

  readonly provider = (): Promise<FeedbackProvider> => {
    this.#provider ??= import('../feedback/feedback-provider.ts').then(
      ({ FeedbackProvider: Provider }) => new Provider(this.#world),
    );
    return this.#provider;
  };

  /** Ends what is being answered, as lost. */
  async stop(): Promise<void> {
    await (await this.#provider)?.stop();
  }
}
