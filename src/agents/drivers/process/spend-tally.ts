import { isJsonObject, type JsonObject } from '../../../protocols/json-text.ts';
import type { AgentSignal } from '../../agent-driver.ts';

export type SpendSignal = Extract<AgentSignal, { readonly kind: 'spend' }>;

/** What one run has cost, by what it says itself. */
export class SpendTally {
  #spent: SpendSignal = { kind: 'spend', costUsd: 0, tokensInput: 0, tokensOutput: 0, tier: null };

  /**
   * Takes a cost_tracking, which tells the whole of the run so far; what it leaves out, or what is no amount, stays as
   * it was told before. Null where there is none.
   */
  take(costTracking: unknown): SpendSignal | null {
    if (!isJsonObject(costTracking)) return null;
    const { costUsd, tokensInput, tokensOutput, tier } = this.#spent;
    const { model_pricing_tier: named } = costTracking;
    this.#spent = {
      kind: 'spend',
      costUsd: amount(costTracking, 'actual_cost_usd') ?? amount(costTracking, 'estimated_cost_usd') ?? costUsd,
      tokensInput: amount(costTracking, 'tokens_input') ?? tokensInput,
      tokensOutput: amount(costTracking, 'tokens_output') ?? tokensOutput,
      tier: typeof named === 'string' ? named : tier,
    };
    return this.#spent;
  }
}

function amount(values: JsonObject, name: string): number | null {
  const value = values[name];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
