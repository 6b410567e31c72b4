import type { VendorSessionSpend } from '../../agent-driver.ts';
import type { ClaudeEvent, ClaudeTokens } from './claude-events.ts';

export function inputTokens(usage: ClaudeTokens | null | undefined): number {
  const { input_tokens: input, cache_creation_input_tokens: made, cache_read_input_tokens: read } = usage ?? {};
  return (input ?? 0) + (made ?? 0) + (read ?? 0);
}

/** The counts of one result. */
export function tokensOf(usage: ClaudeTokens): { input: number; output: number } {
  return { input: inputTokens(usage), output: usage.output_tokens ?? 0 };
}

export interface ClaudeTotals extends Pick<ClaudeEvent<'result'>, 'total_cost_usd' | 'modelUsage'> {
  /** The tokens of this run, as its events counted them. */
  readonly tokens: { readonly input: number; readonly output: number };
}

/**
 * The cost of this run. Claude Code adds the cost of a session that it resumes to its total, if it still knows it: only a total
 * that covers the tokens of the earlier runs too does.
 */
export function costOfRun(
  { total_cost_usd: total = null, modelUsage, tokens }: ClaudeTotals,
  before: VendorSessionSpend,
) {
  const counts = Object.values(modelUsage ?? {}).flatMap((used) => Object.values(used));
  const counted = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const isOfSession = counted >= tokens.input + tokens.output + before.tokensInput + before.tokensOutput;
  return total === null || !isOfSession ? total : Math.max(0, total - before.costUsd);
}
