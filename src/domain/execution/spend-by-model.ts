import { type ModelSpend, sumByModel } from '../model-spend.ts';
import type { Execution } from './execution.ts';

/** The spend of each attempt counts for the model that its agent had. */
export function spendByModel({ attempts, admitted, order }: Execution): readonly ModelSpend[] {
  const spends = attempts.flatMap(({ ended, agent, alternative }) => {
    const meant = (alternative === null ? order.target : order.alternatives[alternative]) ?? order.target;
    const { provider, model } = admitted?.agents?.find(({ name }) => name === agent) ?? meant;
    if (!ended) return [];
    const { costUsd, tokensInput, tokensOutput } = ended.spend;
    return [{ provider, model, costUsd, tokensInput, tokensOutput }];
  });
  return sumByModel(spends);
}
