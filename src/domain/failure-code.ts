/** Why an order or its run failed, or may not begin. Programs read these codes in another spelling: `FAILURE_CODES`. */
export type OrderFailure =
  | 'timeout'
  | 'heartbeat-missed'
  | 'unreadable-message'
  | 'invalid-message'
  | 'agent-not-found'
  | 'model-unavailable'
  | 'all-models-failed'
  | 'file-not-found'
  | 'permission-denied'
  | 'message-too-large'
  | 'near-size-limit'
  | 'malformed-answer'
  | 'dependency-failed'
  | 'delegation-too-deep'
  | 'process-crashed'
  | 'budget-exceeded'
  | 'rollback-failed'
  | 'unknown';

/**
 * The spelling of failures in everything that programs read and keep, which never changes: events, receipts, reports, the JSON of
 * commands and HTTP. AOP spells them the same way (AOP §12).
 */
export const FAILURE_CODES = {
  timeout: 'E_TIMEOUT',
  'heartbeat-missed': 'E_HEARTBEAT_FAILURE',
  'unreadable-message': 'E_PARSE_FAILURE',
  'invalid-message': 'E_SCHEMA_VALIDATION',
  'agent-not-found': 'E_AGENT_NOT_FOUND',
  'model-unavailable': 'E_MODEL_UNAVAILABLE',
  'all-models-failed': 'E_ALL_MODELS_EXHAUSTED',
  'file-not-found': 'E_FILE_NOT_FOUND',
  'permission-denied': 'E_PERMISSION_DENIED',
  'message-too-large': 'E_CONTEXT_OVERFLOW',
  'near-size-limit': 'E_PAYLOAD_SIZE_WARNING',
  'malformed-answer': 'E_MALFORMED_RESPONSE',
  'dependency-failed': 'E_DEPENDENCY_FAILED',
  'delegation-too-deep': 'E_MAX_DEPTH_EXCEEDED',
  'process-crashed': 'E_PROCESS_CRASH',
  'budget-exceeded': 'E_COST_LIMIT_EXCEEDED',
  'rollback-failed': 'E_ROLLBACK_FAILED',
  unknown: 'E_UNKNOWN',
} as const satisfies Record<OrderFailure, string>;

type FailureCodes = typeof FAILURE_CODES;

/** A code as programs read it: that of a failure by the table, any other as it is. */
export type RecordCode<Code extends string> = Code extends OrderFailure ? FailureCodes[Code] : Code;

export function recordCode<Code extends string>(code: Code): RecordCode<Code> {
  return (isOrderFailure(code) ? FAILURE_CODES[code] : code) as RecordCode<Code>;
}

function isOrderFailure(code: string): code is OrderFailure {
  return Object.hasOwn(FAILURE_CODES, code);
}

const FAILURE_OF_CODE: ReadonlyMap<string, OrderFailure> = new Map(
  (Object.keys(FAILURE_CODES) as OrderFailure[]).map((failure) => [FAILURE_CODES[failure], failure]),
);

/** The failure that a record or a message of AOP names; null for any other text. */
export function failureOfCode(code: string): OrderFailure | null {
  return FAILURE_OF_CODE.get(code) ?? null;
}
