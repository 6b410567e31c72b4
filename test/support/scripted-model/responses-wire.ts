import { openaiFailure } from './chat-wire.ts';
import {
  type Json,
  listOf,
  type OfferedTool,
  pieces,
  type Rendered,
  type StreamEvent,
  type ToolSchema,
  type Wire,
} from './wire.ts';

/** OpenAI Responses. */
export const responsesWire: Wire = {
  name: 'responses',
  path: /\/responses$/,
  read: (body) => ({
    model: String(body.model),
    isStream: body.stream === true,
    tools: listOf(body.tools).flatMap((tool) =>
      tool.type === 'namespace'
        ? listOf(tool.tools).map((each) => toolOf(each, String(tool.name)))
        : [toolOf(tool, null)],
    ),
  }),
  whole: (rendered) => completed(rendered),
  events(rendered) {
    const { answer } = rendered;
    const base = response(rendered);
    const whole = itemOf(rendered);
    const begun = { ...whole, status: 'in_progress', ...(answer.kind === 'text' ? { content: [] } : {}) };
    const place = { item_id: whole.id, output_index: 0 };
    const inner = answer.kind === 'text' ? textEvents(answer.text, place) : callEvents(whole, place);
    return [
      { type: 'response.created', response: base },
      { type: 'response.in_progress', response: base },
      { type: 'response.output_item.added', output_index: 0, item: begun },
      ...inner,
      { type: 'response.output_item.done', output_index: 0, item: whole },
      { type: 'response.completed', response: completed(rendered) },
    ].map((data, at): StreamEvent => [data.type, { ...data, sequence_number: at }]);
  },
  failure: openaiFailure,
  outOfQuota(resetsInMs) {
    const resets_at = Math.ceil((Date.now() + resetsInMs) / 1_000);
    const error = {
      type: 'usage_limit_reached',
      message: 'The usage limit has been reached',
      plan_type: 'plus',
      resets_at,
    };
    return {
      status: 429,
      headers: {},
      body: { error: { ...error, resets_in_seconds: Math.ceil(resetsInMs / 1_000) } },
    };
  },
};

function toolOf({ name, type, parameters }: Json, namespace: string | null): OfferedTool {
  return { name: String(name ?? type), kind: String(type), namespace, schema: (parameters ?? {}) as ToolSchema };
}

function response({ id, request }: Rendered) {
  const head = { id: `resp_${id}`, object: 'response', created_at: 1_790_000_000, model: request.model };
  const rest = { error: null, incomplete_details: null, parallel_tool_calls: false, tools: [] };
  return { ...head, ...rest, output: [] as unknown[], status: 'in_progress' };
}

function completed(rendered: Rendered) {
  const { input, cached, output } = rendered.tokens;
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
  return { ...response(rendered), status: 'completed', output: [itemOf(rendered)], usage };
}

interface Item extends Json {
  readonly id: string;
}

function itemOf({ id, answer }: Rendered): Item {
  if (answer.kind === 'text') {
    const content = [{ type: 'output_text', text: answer.text, annotations: [] }];
    return { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content };
  }
  const { name, namespace } = answer.tool;
  const head = { call_id: `call_${id}`, name, ...(namespace === null ? {} : { namespace }), status: 'completed' };
  return answer.tool.kind === 'custom'
    ? { id: `ctc_${id}`, type: 'custom_tool_call', ...head, input: String(answer.input.input ?? '') }
    : { id: `fc_${id}`, type: 'function_call', ...head, arguments: JSON.stringify(answer.input) };
}

function textEvents(text: string, place: Json) {
  const part = { type: 'output_text', text, annotations: [] };
  const at = { ...place, content_index: 0 };
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...pieces(text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
    { type: 'response.output_text.done', ...at, text },
    { type: 'response.content_part.done', ...at, part },
  ];
}

function callEvents({ arguments: input }: Item, place: Json) {
  if (typeof input !== 'string') return [];
  return [
    ...pieces(input).map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
    { type: 'response.function_call_arguments.done', ...place, arguments: input },
  ];
}
