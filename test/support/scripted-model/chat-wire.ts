import { inputText, type Json, listOf, pieces, type Rendered, type ToolSchema, type Wire } from './wire.ts';

/** OpenAI Chat Completions. */
export const chatWire: Wire = {
  name: 'chat',
  path: /\/chat\/completions$/,
  read: (body) => ({
    model: String(body.model),
    isStream: body.stream === true,
    tools: listOf(body.tools).map((tool) => {
      const { name, parameters } = (tool.function ?? {}) as Json;
      return { name: String(name), kind: 'function', namespace: null, schema: (parameters ?? {}) as ToolSchema };
    }),
  }),
  whole(rendered) {
    const { answer } = rendered;
    const said = answer.kind === 'text' ? { content: answer.text } : { content: null, tool_calls: calls(rendered) };
    const message = { role: 'assistant', ...said };
    const choices = [{ index: 0, finish_reason: finish(rendered), message }];
    return { ...head(rendered), object: 'chat.completion', choices, ...usage(rendered) };
  },
  events(rendered) {
    const { answer } = rendered;
    const base = { ...head(rendered), object: 'chat.completion.chunk' };
    const part = (delta: Json, reason: string | null = null) => ({
      ...base,
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
    const deltas = answer.kind === 'text' ? pieces(answer.text).map((content) => ({ content })) : callDeltas(rendered);
    return [
      [null, part({ role: 'assistant', content: answer.kind === 'text' ? '' : null })],
      ...deltas.map((delta) => [null, part(delta)] as const),
      [null, part({}, finish(rendered))],
      [null, { ...base, choices: [], ...usage(rendered) }],
      [null, '[DONE]'],
    ];
  },
  ping: ': keep-alive\n\n',
  failure: openaiFailure,
  outOfQuota: (resetsInMs) => ({
    status: 429,
    headers: { 'retry-after': String(Math.ceil(resetsInMs / 1_000)) },
    body: openaiFailure(429, 'Rate limit reached for requests'),
  }),
};

/** The body of an error, the same in both APIs of OpenAI. */
export function openaiFailure(status: number, message: string) {
  const types: Readonly<Record<number, string>> = {
    401: 'authentication_error',
    403: 'permission_error',
    429: 'rate_limit_error',
  };
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { error: { message, type, code: status === 429 ? 'rate_limit_exceeded' : null, param: null } };
}

function head({ id, request }: Rendered) {
  return { id: `chatcmpl-${id}`, created: 1_790_000_000, model: request.model };
}

function usage({ tokens: { input, cached, output }, hasUsage }: Rendered) {
  if (!hasUsage) return {};
  const details = { prompt_tokens_details: { cached_tokens: cached } };
  return { usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, ...details } };
}

function finish({ answer }: Rendered): string {
  return answer.kind === 'calls' ? 'tool_calls' : 'stop';
}

function calls({ id, answer }: Rendered) {
  if (answer.kind === 'text') throw new Error('no tool is called');
  return answer.calls.map((call, index) => ({
    index,
    id: `call_${id}_${index}`,
    type: 'function',
    function: { name: call.tool.name, arguments: inputText(call) },
  }));
}

function callDeltas(rendered: Rendered): readonly Json[] {
  return calls(rendered).flatMap(({ function: named, index, ...about }) => {
    const begun = { index, ...about, function: { name: named.name, arguments: '' } };
    const rest = pieces(named.arguments).map((part) => ({ index, function: { arguments: part } }));
    return [begun, ...rest].map((each) => ({ tool_calls: [each] }));
  });
}
