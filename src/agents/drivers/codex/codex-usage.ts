import * as z from 'zod';
import type { UsageSignal } from '../../../domain/agent/agent-signal.ts';
import { recordedValues } from '../vendor/session-record.ts';

export const CODEX_USAGE = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cached_input_tokens: z.number().optional(),
});

export interface TokensBefore {
  readonly input: number;
  readonly output: number;
}

const TOKEN_COUNT = z.object({
  payload: z.object({ type: z.literal('token_count'), info: z.object({ total_token_usage: CODEX_USAGE }) }),
});

/** Codex counts tokens over the whole thread, earlier runs included. */
export function usageSignal(usage: z.infer<typeof CODEX_USAGE>, before: TokensBefore): UsageSignal {
  const tokensInput = Math.max(0, usage.input_tokens - before.input);
  const tokensOutput = Math.max(0, usage.output_tokens - before.output);
  // In a resumed thread the cached part of this run is not known: all of it counts as new input.
  const { cached_input_tokens: tokensCached } = usage;
  const cached = before.input === 0 && tokensCached !== undefined ? { tokensCached } : {};
  return { kind: 'usage', costUsd: null, tokensInput, tokensOutput, ...cached, tier: null };
}

/** The last count in the record of a thread; null if there is none. */
export function recordedCodexUsage(folder: string, thread: string, before: TokensBefore): UsageSignal | null {
  if (!/^[\w-]+$/.test(thread)) return null;
  const counts = recordedValues(folder, `sessions/*/*/*/rollout-*-${thread}.jsonl`, '"token_count"');
  const last = counts.map((each) => TOKEN_COUNT.safeParse(each).data).findLast((each) => each !== undefined);
  return last === undefined ? null : usageSignal(last.payload.info.total_token_usage, before);
}
