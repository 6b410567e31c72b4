import type { AgentStats } from '../../domain/agent/agent-stats.ts';
import { counted } from '../../domain/words/counted.ts';
import type { Style } from '../output/style.ts';
import { durationText } from '../output/time-text.ts';
import { usdText } from '../output/usd-text.ts';
import { visible } from '../output/visible.ts';

/** One line: who, how often it was right, and at what price; below it where. */
export function agentStatsText(stats: AgentStats, style: Style): string {
  const { agent, category, repository, orders, successRate, firstTryRate, medianSeconds, medianCostUsd } = stats;
  const cost = medianCostUsd === null ? 'no cost reported' : usdText(medianCostUsd);
  const facts = [
    `${percent(successRate)} checked`,
    `${percent(firstTryRate)} at the first try`,
    counted(orders, 'task'),
    `median ${durationText(medianSeconds * 1_000)}, ${cost}`,
  ];
  const where = [category ?? 'no category', repository ?? 'no folder'].map(visible).join(' · ');
  return `${style.strong(visible(agent))}  ${facts.join(' · ')}\n  ${style.faint(where)}`;
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}
