import { roundUsd } from '../order/budget.ts';
/** The money and tokens of one model. */
export interface ModelUsage {
  readonly provider: string;
  readonly model: string;
  readonly costUsd: number;
  readonly tokensInput: number;
  readonly tokensOutput: number;
}

/** One entry a model, in the order of their first use. */
export function sumByModel(spends: readonly ModelUsage[]): readonly ModelUsage[] {
  const models = new Map<string, ModelUsage>();
  for (const spend of spends) {
    const key = `${spend.provider} ${spend.model}`;
    const before = models.get(key) ?? { costUsd: 0, tokensInput: 0, tokensOutput: 0 };
    models.set(key, {
      ...spend,
      costUsd: before.costUsd + spend.costUsd,
      tokensInput: before.tokensInput + spend.tokensInput,
      tokensOutput: before.tokensOutput + spend.tokensOutput,
    });
  }
  return [...models.values()].map((spend) => ({ ...spend, costUsd: roundUsd(spend.costUsd) }));
}
