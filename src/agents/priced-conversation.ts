import type { AgentSignal, TokenCount } from '../domain/agent/agent-signal.ts';
import { costUsdOf, type Price, priceOf } from '../domain/agent/price.ts';
import type { Conversation, ConversationInput, Reply } from './agent-driver.ts';

export interface Pricing {
  readonly table: Readonly<Record<string, Price>>;
  /** The agent's model as configured; the one that its vendor names comes before it. */
  readonly model: string;
}

/** Adds a cost from the user's table to usage that a vendor reports in tokens only. */
export class PricedConversation implements Conversation {
  readonly #inner: Conversation;
  readonly #pricing: Pricing;
  #models: readonly string[];

  constructor(inner: Conversation, pricing: Pricing) {
    this.#inner = inner;
    this.#pricing = pricing;
    this.#models = [pricing.model];
  }

  hear(heard: ConversationInput): Reply {
    const reply = this.#inner.hear(heard);
    return { ...reply, signals: reply.signals.map((signal) => this.#priced(signal)) };
  }

  end(): readonly AgentSignal[] {
    return this.#inner.end().map((signal) => this.#priced(signal));
  }

  #priced(signal: AgentSignal): AgentSignal {
    if (signal.kind === 'vendor-session' && signal.model) this.#models = [signal.model, this.#pricing.model];
    if (signal.kind !== 'usage' || signal.costUsd !== null) return signal;
    const { tokensInput, tokensOutput, byModel } = signal;
    if (tokensInput === null && tokensOutput === null) return signal;
    const parts = Object.entries(byModel ?? {});
    const costs =
      parts.length > 0 ? parts.map(([model, count]) => this.#costOf(model, count)) : [this.#costOf(null, signal)];
    const known = costs.filter((cost) => cost !== null);
    if (known.length < costs.length) return signal;
    const costUsd = known.reduce((sum, cost) => sum + cost.usd, 0);
    const [date] = known.map((cost) => cost.date).sort();
    return { ...signal, costUsd, tier: `your prices of ${date}` };
  }

  /** Null where the table has no price for the model. */
  #costOf(model: string | null, { tokensInput, tokensOutput, tokensCached }: TokenCount) {
    const price = priceOf(this.#pricing.table, model === null ? this.#models : [model, ...this.#models]);
    const tokens = { input: tokensInput ?? 0, cachedInput: tokensCached ?? 0, output: tokensOutput ?? 0 };
    return price && { usd: costUsdOf(price, tokens), date: price.date };
  }
}
