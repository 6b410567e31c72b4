import { type Json, listOf, pieces, type Rendered, type StreamEvent, type ToolSchema, type Wire } from './wire.ts';

/** Anthropic Messages. */
export const anthropicWire: Wire = {
  name: 'anthropic',
  path: /\/messages$/,
  read: (body) => ({
    model: String(body.model),
    isStream: body.stream === true,
    tools: listOf(body.tools).map(({ name, input_schema }) => ({
      name: String(name),
      kind: 'function',
      namespace: null,
      schema: (input_schema ?? {}) as ToolSchema,
    })),
  }),
  whole: (rendered) => ({ ...message(rendered), content: [block(rendered)], stop_reason: stopReason(rendered) }),
  events(rendered) {
    const { answer, tokens } = rendered;
    const typed = (data: Json): StreamEvent => [String(data.type), data];
    const deltas =
      answer.kind === 'tool'
        ? pieces(JSON.stringify(answer.input)).map((part) => ({ type: 'input_json_delta', partial_json: part }))
        : pieces(answer.text).map((text) => ({ type: 'text_delta', text }));
    const start = answer.kind === 'tool' ? { ...block(rendered), input: {} } : { type: 'text', text: '' };
    const delta = { stop_reason: stopReason(rendered), stop_sequence: null };
    return [
      typed({ type: 'message_start', message: message(rendered) }),
      typed({ type: 'content_block_start', index: 0, content_block: start }),
      ...deltas.map((each) => typed({ type: 'content_block_delta', index: 0, delta: each })),
      typed({ type: 'content_block_stop', index: 0 }),
      typed({ type: 'message_delta', delta, usage: { output_tokens: tokens.output } }),
      typed({ type: 'message_stop' }),
    ];
  },
  failure: (status, text) => ({ type: 'error', error: { type: ERRORS[status] ?? 'api_error', message: text } }),
  outOfQuota(resetsInMs) {
    const resetsAt = Math.ceil((Date.now() + resetsInMs) / 1_000);
    const headers = {
      'retry-after': String(Math.ceil(resetsInMs / 1_000)),
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'anthropic-ratelimit-unified-reset': String(resetsAt),
    };
    return { status: 429, headers, body: anthropicWire.failure(429, 'This request would exceed your rate limit.') };
  },
};

const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function message({ id, request, tokens }: Rendered) {
  const usage = {
    input_tokens: tokens.input - tokens.cached,
    cache_read_input_tokens: tokens.cached,
    cache_creation_input_tokens: 0,
    output_tokens: tokens.output,
  };
  const head = { id: `msg_${id}`, type: 'message', role: 'assistant', model: request.model };
  return { ...head, content: [], stop_reason: null as string | null, stop_sequence: null, usage };
}

function block({ id, answer }: Rendered) {
  return answer.kind === 'text'
    ? { type: 'text', text: answer.text }
    : { type: 'tool_use', id: `toolu_${id}`, name: answer.tool.name, input: answer.input };
}

function stopReason({ answer }: Rendered): string {
  return answer.kind === 'tool' ? 'tool_use' : 'end_turn';
}
