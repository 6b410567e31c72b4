import {
  inputText,
  type Json,
  listOf,
  pieces,
  type Rendered,
  type StreamEvent,
  type ToolSchema,
  type Wire,
} from './wire.ts';

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
  whole: (rendered) => ({ ...message(rendered), content: blocks(rendered), stop_reason: stopReason(rendered) }),
  events(rendered) {
    const { answer, tokens, hasUsage } = rendered;
    const typed = (data: Json): StreamEvent => [String(data.type), data];
    const deltas =
      answer.kind === 'calls'
        ? answer.calls.map((call) =>
            pieces(inputText(call)).map((part) => ({ type: 'input_json_delta', partial_json: part })),
          )
        : [pieces(answer.text).map((text) => ({ type: 'text_delta', text }))];
    const delta = { stop_reason: stopReason(rendered), stop_sequence: null };
    const usage = hasUsage ? { usage: { output_tokens: tokens.output } } : {};
    return [
      typed({ type: 'message_start', message: message(rendered) }),
      ...blocks(rendered).flatMap((block, index) => [
        typed({ type: 'content_block_start', index, content_block: { ...block, ...emptied(block) } }),
        ...(deltas[index] ?? []).map((each) => typed({ type: 'content_block_delta', index, delta: each })),
        typed({ type: 'content_block_stop', index }),
      ]),
      typed({ type: 'message_delta', delta, ...usage }),
      typed({ type: 'message_stop' }),
    ];
  },
  ping: 'event: ping\ndata: {"type": "ping"}\n\n',
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

function message({ id, request, tokens, hasUsage }: Rendered) {
  const usage = hasUsage && {
    input_tokens: tokens.input - tokens.cached,
    cache_read_input_tokens: tokens.cached,
    cache_creation_input_tokens: 0,
    output_tokens: tokens.output,
  };
  const head = { id: `msg_${id}`, type: 'message', role: 'assistant', model: request.model };
  return { ...head, content: [], stop_reason: null as string | null, stop_sequence: null, ...(usage && { usage }) };
}

function blocks({ id, answer }: Rendered): readonly Json[] {
  if (answer.kind === 'text') return [{ type: 'text', text: answer.text }];
  return answer.calls.map(({ tool, input }, at) => {
    return { type: 'tool_use', id: `toolu_${id}_${at}`, name: tool.name, input };
  });
}

function emptied({ type }: Json): Json {
  return type === 'text' ? { text: '' } : { input: {} };
}

function stopReason({ answer }: Rendered): string {
  return answer.kind === 'calls' ? 'tool_use' : 'end_turn';
}
