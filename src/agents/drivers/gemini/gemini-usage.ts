import * as z from 'zod';
import type { UsageSignal } from '../../../domain/agent/agent-signal.ts';
import type { VendorSessionSpend } from '../../agent-driver.ts';
import { recordedValues } from '../vendor/session-record.ts';

const ANSWER = z.object({
  id: z.string(),
  tokens: z.object({
    input: z.number(),
    output: z.number(),
    cached: z.number().optional(),
    thoughts: z.number().optional(),
    tool: z.number().optional(),
  }),
});

/** The tokens of the answers in the record of a session, less those of earlier runs; null if it has none. */
export function recordedGeminiUsage(folder: string, session: string, before?: VendorSessionSpend): UsageSignal | null {
  if (!/^[\w-]{8,}$/.test(session)) return null;
  const lines = recordedValues(folder, `tmp/*/chats/session-*-${session.slice(0, 8)}.jsonl`, '"tokens":');
  // An answer is written again with the results of its tools.
  const answers = new Map(lines.flatMap((line) => ANSWER.safeParse(line).data ?? []).map((each) => [each.id, each]));
  if (answers.size === 0) return null;
  const total = { input: 0, output: 0, cached: 0 };
  for (const { tokens } of answers.values()) {
    total.input += tokens.input + (tokens.tool ?? 0);
    total.output += tokens.output + (tokens.thoughts ?? 0);
    total.cached += tokens.cached ?? 0;
  }
  const tokensInput = Math.max(0, total.input - (before?.tokensInput ?? 0));
  const tokensOutput = Math.max(0, total.output - (before?.tokensOutput ?? 0));
  const cached = before === undefined ? { tokensCached: total.cached } : {};
  return { kind: 'usage', costUsd: null, tokensInput, tokensOutput, ...cached, tier: null };
}
