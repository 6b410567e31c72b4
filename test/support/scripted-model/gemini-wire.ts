import { type Json, listOf, pieces, type Rendered, type ToolSchema, type Wire } from './wire.ts';

/** Gemini generateContent and streamGenerateContent. */
export const geminiWire: Wire = {
  name: 'gemini',
  path: /:(generateContent|streamGenerateContent)$/,
  read: (body, path) => ({
    model: /models\/([^:]+):/.exec(path)?.[1] ?? 'unknown',
    isStream: path.endsWith(':streamGenerateContent'),
    shape: shapeIn((body.generationConfig ?? {}) as Json),
    tools: listOf(body.tools)
      .flatMap(({ functionDeclarations }) => listOf(functionDeclarations))
      .map(({ name, parameters, parametersJsonSchema }) => ({
        name: String(name),
        kind: 'function',
        namespace: null,
        schema: (parametersJsonSchema ?? parameters ?? {}) as ToolSchema,
      })),
  }),
  whole: (rendered) => content(rendered, parts(rendered), 'STOP'),
  events(rendered) {
    const { answer } = rendered;
    const written =
      answer.kind === 'calls'
        ? [content(rendered, parts(rendered))]
        : pieces(answer.text).map((text) => content(rendered, [{ text }]));
    return [...written, content(rendered, [{ text: '' }], 'STOP')].map((data) => [null, data] as const);
  },
  ping: ': keep-alive\n\n',
  failure: (status, message) => ({ error: { code: status, message, status: ERRORS[status] ?? 'INTERNAL' } }),
  outOfQuota(resetsInMs) {
    const message = `You exceeded your current quota. Please retry in ${Math.ceil(resetsInMs / 1_000)}s.`;
    const details = [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${Math.ceil(resetsInMs / 1_000)}s` },
    ];
    return {
      status: 429,
      headers: {},
      body: { error: { code: 429, message, status: 'RESOURCE_EXHAUSTED', details } },
    };
  },
};

/** Gemini CLI lets its model choose between models, and asks again until the answer is JSON. */
function shapeIn({ responseJsonSchema, responseSchema }: Json): ToolSchema | undefined {
  return (responseJsonSchema ?? responseSchema) as ToolSchema | undefined;
}

const ERRORS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

function parts({ id, answer }: Rendered): readonly Json[] {
  if (answer.kind === 'text') return [{ text: answer.text }];
  return answer.calls.map(({ tool, input, brokenInput }, at) => ({
    functionCall: { id: `call_${id}_${at}`, name: tool.name, args: brokenInput ?? input },
  }));
}

function content({ id, request, tokens, hasUsage }: Rendered, written: readonly Json[], finishReason?: string) {
  const { input, cached, output } = tokens;
  const usageMetadata = {
    promptTokenCount: input,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
  };
  const candidate = { content: { role: 'model', parts: written }, index: 0, ...(finishReason ? { finishReason } : {}) };
  return {
    candidates: [candidate],
    ...(hasUsage && { usageMetadata }),
    modelVersion: request.model,
    responseId: `gem-${id}`,
  };
}
