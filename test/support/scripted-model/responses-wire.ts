import { openaiFailure } from './chat-wire.ts';
import {
  inputText,
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
    const base = response(rendered);
    return [
      { type: 'response.created', response: base },
      { type: 'response.in_progress', response: base },
      ...itemsOf(rendered).flatMap((item, index) => itemEvents(item, index)),
      { type: 'response.completed', response: completed(rendered) },
    ].map((data, at): StreamEvent => [data.type, { ...data, sequence_number: at }]);
  },
  ping: ': keep-alive\n\n',
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
  return { ...response(rendered), status: 'completed', output: itemsOf(rendered), ...(rendered.hasUsage && { usage }) };
}

interface Item extends Json {
  readonly id: string;
}

function itemsOf({ id, answer }: Rendered): readonly Item[] {
  if (answer.kind === 'text') {
    const content = [{ type: 'output_text', text: answer.text, annotations: [] }];
    return [{ id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content }];
  }
  return answer.calls.map((call, at) => {
    const { name, namespace, kind } = call.tool;
    const own = namespace === null ? {} : { namespace };
    const head = { call_id: `call_${id}_${at}`, name, ...own, status: 'completed' };
    return kind === 'custom'
      ? { id: `ctc_${id}_${at}`, type: 'custom_tool_call', ...head, input: String(call.input.input ?? '') }
      : { id: `fc_${id}_${at}`, type: 'function_call', ...head, arguments: inputText(call) };
  });
}

function itemEvents(item: Item, index: number) {
  const place = { item_id: item.id, output_index: index };
  const begun = { ...item, status: 'in_progress', ...(item.type === 'message' ? { content: [] } : {}) };
  return [
    { type: 'response.output_item.added', output_index: index, item: begun },
    ...(item.type === 'message' ? textEvents(textOf(item), place) : callEvents(item, place)),
    { type: 'response.output_item.done', output_index: index, item },
  ];
}

function textOf({ content }: Item): string {
  return listOf(content)
    .map(({ text }) => String(text))
    .join('');
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
