import * as z from 'zod';

// The events of `claude --output-format stream-json`, as far as Baton reads them. Claude Code adds fields often and
// changes them seldom, so unknown ones are ignored.

const block = z.union([
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.unknown().optional(),
    is_error: z.boolean().nullish(),
  }),
  // A kind of block that Baton does not know, such as an image.
  z.object({ type: z.string() }).transform(() => null),
]);

const message = z.object({ content: z.union([z.string(), z.array(block)]) });

const tokens = z.object({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
});

const modelTokens = z.object({
  inputTokens: z.number().nullish(),
  outputTokens: z.number().nullish(),
  cacheReadInputTokens: z.number().nullish(),
  cacheCreationInputTokens: z.number().nullish(),
});

export const CLAUDE_EVENTS = {
  init: z.object({ session_id: z.string(), model: z.string().nullish(), claude_code_version: z.string().nullish() }),
  retry: z.object({
    attempt: z.number(),
    retry_delay_ms: z.number().nullish(),
    error_status: z.number().nullish(),
    error: z.string().nullish(),
  }),
  denied: z.object({ tool_name: z.string(), message: z.string().nullish() }),
  assistant: z.object({ message, is_api_error_message: z.boolean().nullish() }),
  user: z.object({ message, isReplay: z.boolean().nullish() }),
  stream: z.object({
    event: z.object({
      type: z.string(),
      message: z.object({ usage: tokens.nullish() }).nullish(),
      usage: tokens.nullish(),
    }),
  }),
  limit: z.object({
    rate_limit_info: z.object({
      status: z.string(),
      /** Seconds since 1970. */
      resetsAt: z.number().nullish(),
      rateLimitType: z.string().nullish(),
    }),
  }),
  result: z.object({
    is_error: z.boolean(),
    /** `error_max_budget_usd` for its cap on money. */
    subtype: z.string().nullish(),
    result: z.string().nullish(),
    errors: z.array(z.string()).nullish(),
    api_error_status: z.number().nullish(),
    /** `usage_limit_reached` for the limit of a plan. */
    api_error: z.string().nullish(),
    total_cost_usd: z.number().nullish(),
    usage: tokens.nullish(),
    modelUsage: z.record(z.string(), modelTokens).nullish(),
  }),
  permission: z.object({
    request_id: z.string(),
    request: z.object({
      subtype: z.literal('can_use_tool'),
      tool_name: z.string(),
      input: z.record(z.string(), z.unknown()),
      decision_reason: z.string().nullish(),
      blocked_path: z.string().nullish(),
    }),
  }),
} as const;

export type ClaudeEvent<Name extends keyof typeof CLAUDE_EVENTS> = z.infer<(typeof CLAUDE_EVENTS)[Name]>;
export type ClaudeTokens = z.infer<typeof tokens>;

/** The result of a tool as text, whichever form it has. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content);
  return content.map((part) => (typeof part?.text === 'string' ? part.text : `[${part?.type ?? 'part'}]`)).join('\n');
}

/** Claude Code names the exit code of a failed command in its text only. */
export function exitCodeIn(result: string, isSuccess: boolean): number | null {
  if (isSuccess) return 0;
  const code = /^(?:Error: )?Exit code (\d+)/.exec(result)?.[1];
  return code === undefined ? null : Number(code);
}
