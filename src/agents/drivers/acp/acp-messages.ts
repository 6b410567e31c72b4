import type {
  CancelNotification,
  InitializeRequest,
  LoadSessionRequest,
  NewSessionRequest,
  PromptRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import * as z from 'zod';

/** The major version of the Agent Client Protocol. */
export const ACP_VERSION = 1;

// The messages of the protocol that Baton reads. Unknown fields are ignored.

const content = z.object({ type: z.string(), text: z.string().nullish() });

const toolCall = z.object({
  toolCallId: z.string(),
  title: z.string().nullish(),
  name: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.string().nullish(),
  content: z.array(z.record(z.string(), z.unknown())).nullish(),
  locations: z.array(z.object({ path: z.string() })).nullish(),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  _meta: z.record(z.string(), z.unknown()).nullish(),
});
export type AcpToolCall = z.infer<typeof toolCall>;

const tokens = z.object({
  inputTokens: z.number().nullish(),
  outputTokens: z.number().nullish(),
  cachedReadTokens: z.number().nullish(),
  cachedWriteTokens: z.number().nullish(),
  thoughtTokens: z.number().nullish(),
});

const chunk = z.object({
  content,
  /** Qwen Code counts each answer of its model here, cached tokens within those of its input. */
  _meta: z
    .object({ usage: tokens.optional().catch(undefined) })
    .nullish()
    .catch(null),
});

export const ACP_UPDATES = {
  agent_message_chunk: chunk,
  agent_thought_chunk: chunk,
  tool_call: toolCall,
  tool_call_update: toolCall,
  usage_update: z.object({ cost: z.object({ amount: z.number(), currency: z.string() }).nullish() }),
} as const;

export const ACP_UPDATE = z.object({ update: z.looseObject({ sessionUpdate: z.string() }) });

export const ACP_PERMISSION = z.object({
  toolCall,
  options: z.array(z.object({ optionId: z.string(), name: z.string(), kind: z.string() })),
});
export type AcpPermission = z.infer<typeof ACP_PERMISSION>;

export const ACP_ANSWERS = {
  initialize: z.object({
    agentInfo: z.object({ name: z.string(), version: z.string() }).nullish(),
    agentCapabilities: z.object({ loadSession: z.boolean().nullish() }).nullish(),
  }),
  session: z.object({ sessionId: z.string() }),
  load: z.unknown(),
  prompt: z.object({
    stopReason: z.string(),
    usage: tokens.nullish(),
  }),
} as const;
export type AcpAnswer<Name extends keyof typeof ACP_ANSWERS> = z.infer<(typeof ACP_ANSWERS)[Name]>;

/** Any message of JSON-RPC 2.0. */
const JSON_RPC = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).nullish(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});
export type JsonRpc = z.infer<typeof JSON_RPC>;
export type JsonRpcId = string | number;

export function readJsonRpc(text: string): JsonRpc | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON_RPC.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Text that begins with a brace.
    return null;
  }
}

/** The requests that Baton sends, by method, as the protocol's own types have them. */
interface AcpRequests {
  readonly initialize: InitializeRequest;
  readonly 'session/new': NewSessionRequest;
  readonly 'session/load': LoadSessionRequest;
  readonly 'session/prompt': PromptRequest;
}

export function acpRequest<Method extends keyof AcpRequests>(
  id: JsonRpcId,
  method: Method,
  params: AcpRequests[Method],
): string {
  return jsonLine({ id, method, params });
}

export function cancelNotification(params: CancelNotification): string {
  return jsonLine({ method: 'session/cancel', params });
}

/** The answer to a permission; null for none of the options. */
export function permissionAnswer(id: JsonRpcId, optionId: string | null): string {
  const result: RequestPermissionResponse = {
    outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
  };
  return jsonLine({ id, result });
}

export function methodNotFound(id: JsonRpcId, method: string): string {
  return jsonLine({ id, error: { code: -32_601, message: `${method} is not offered` } });
}

function jsonLine(value: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`;
}
