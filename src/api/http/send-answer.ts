import type { FastifyReply } from 'fastify';
import { isRefusal, REFUSALS, type Refusal, type RefusalCode } from '../../domain/refusal.ts';
import { LedgerFault } from '../../ledger/fault.ts';
import { isOutOfDescriptors } from '../../platform/process/machine-limits.ts';
import { notText } from '../../protocols/read-message.ts';
import { hintForApi } from '../call-hint.ts';
import type { SendAnswer } from '../contract.ts';
import { unreadableMessage } from '../message-answer.ts';

interface HttpErrorSpec {
  readonly status: number;
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
}

const final = (status: number, message: string, hint: string): HttpErrorSpec => ({
  status,
  message,
  hint,
  retryable: false,
});
const later = (status: number, message: string, hint: string): HttpErrorSpec => ({
  status,
  message,
  hint,
  retryable: true,
});

/** Errors of the server itself: the request did not reach the node. */
export const HTTP_ERRORS = {
  bad_request: final(400, 'this is not a valid HTTP/1.1 request', 'check the request line and the headers'),
  unauthenticated: final(
    401,
    'the request has no valid token',
    'send Authorization: Bearer TOKEN, with the token of node.json in the data folder',
  ),
  link_unknown: final(401, 'this link is not of this node, or is older than a day', 'get a new one: baton open'),
  link_used: final(401, 'this link was used already', 'each works once: baton open makes another'),
  link_expired: final(401, 'this link has expired', 'get a new one: baton open'),
  forbidden_host: final(403, 'the Host header does not name this node', 'use the url of node.json unchanged'),
  forbidden_origin: final(403, 'pages of other origins may not call this node', 'call it from a program'),
  route_not_found: final(404, 'there is nothing at this path', 'GET /v1/openapi.json lists the calls'),
  dashboard_missing: final(404, 'this installation has no dashboard', 'in a clone: npm run build'),
  method_not_allowed: final(405, 'this path does not accept this method', 'the Allow header names those it accepts'),
  request_timeout: later(408, 'the request took too long to arrive', 'send it again'),
  body_too_large: final(413, 'the body is too large for this path, or has no length', 'send less, with Content-Length'),
  unsupported_content_type: final(
    415,
    'this path does not accept this content type',
    'send application/json, in UTF-8 and without Content-Encoding',
  ),
  door_busy: later(429, 'too many large bodies are on their way to this node', 'send it again in a moment'),
  headers_too_large: final(431, 'the headers are too large', 'send fewer or shorter headers'),
  node_failed: final(500, 'the node failed at this request', 'baton doctor shows its log'),
  node_crowded: later(
    503,
    'the node has no file descriptor left for this',
    'send it again in a moment; a higher ulimit -n lets it do more at once',
  ),
  node_stopping: later(503, 'the node is stopping', 'try again when it is up'),
} as const satisfies Record<string, HttpErrorSpec>;

export type HttpErrorCode = keyof typeof HTTP_ERRORS;

/** The form of every error that the server sends. */
export interface ErrorBody {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly path: string;
    readonly hint: string;
    readonly retryable: boolean;
    readonly details?: readonly string[];
    readonly problems?: Refusal['problems'];
  };
}

export function httpErrorBody(code: HttpErrorCode): ErrorBody {
  const { message, hint, retryable } = HTTP_ERRORS[code];
  return { error: { code, message, path: '', hint, retryable } };
}

function refusalBody({ kind: _kind, ...refusal }: Refusal): ErrorBody {
  const { code, message, path, retryable, details, problems } = refusal;
  const more = { ...(details && { details }), ...(problems && { problems }) };
  return { error: { code, message, path, hint: hintForApi(refusal), retryable, ...more } };
}

/** Sends an answer of the node, or its refusal. */
export function sendAnswer(reply: FastifyReply, answer: object, status = 200): FastifyReply {
  if (isRefusal(answer)) return sendRefusal(reply, answer);
  return reply.code(status).send(answer);
}

export function sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply {
  return reply.code(HTTP_STATUS[refusal.code]).send(refusalBody(refusal));
}

export function sendHttpError(reply: FastifyReply, code: HttpErrorCode): FastifyReply {
  return reply.code(HTTP_ERRORS[code].status).send(httpErrorBody(code));
}

/** Names the content types that a path accepts besides or instead of application/json. */
export function sendWrongType(reply: FastifyReply, accepted: string): FastifyReply {
  const { error } = httpErrorBody('unsupported_content_type');
  const hint = `send ${accepted}, in UTF-8 and without Content-Encoding`;
  return reply.code(HTTP_ERRORS.unsupported_content_type.status).send({ error: { ...error, hint } });
}

/** A fault inside of the node is reported without its details. */
export function sendFault(reply: FastifyReply, error: unknown): FastifyReply {
  if (isOutOfDescriptors(error)) return sendHttpError(reply, 'node_crowded');
  const isLater = error instanceof LedgerFault && error.retryable;
  const { error: facts } = httpErrorBody('node_failed');
  return reply.code(isLater ? 503 : 500).send({ error: { ...facts, retryable: isLater } });
}

/** The answer to bytes that are not UTF-8. */
export function unreadableAnswer(): SendAnswer {
  const { verdict } = notText(null);
  const { code, errors } = verdict.verdict === 'malformed' ? verdict : { code: 'invalid_json', errors: [] };
  return unreadableMessage({ code, errors, hint: REFUSALS.invalid_json.hint });
}

/** Statuses of refusals that a message has, too; any other refused one is a conflict. */
const OWN_STATUSES: ReadonlySet<number | null> = new Set([400, 429, 507]);

/** 200 applied, 409 refused, 400 no route or target, 403 outside of a run's scope, 422 malformed, 413 too large, 415 foreign, 507 disk full. */
export function answerStatus({ verdict, code }: SendAnswer): number {
  if (verdict === 'accepted') return 200;
  if (verdict === 'foreign') return 415;
  const known = code !== null && Object.hasOwn(HTTP_STATUS, code) ? HTTP_STATUS[code as RefusalCode] : null;
  if (verdict === 'malformed') return known === 413 || known === 400 ? known : 422;
  return OWN_STATUSES.has(known) || code === 'scope_denied' ? (known ?? 409) : 409;
}

/** The HTTP status of each refusal. 409: another state would allow it; 422: no state would. */
const HTTP_STATUS: Readonly<Record<RefusalCode, number>> = {
  E_TIMEOUT: 504,
  E_HEARTBEAT_FAILURE: 409,
  E_PARSE_FAILURE: 422,
  E_SCHEMA_VALIDATION: 422,
  E_AGENT_NOT_FOUND: 404,
  E_MODEL_UNAVAILABLE: 503,
  E_ALL_MODELS_EXHAUSTED: 503,
  E_FILE_NOT_FOUND: 404,
  E_PERMISSION_DENIED: 403,
  E_CONTEXT_OVERFLOW: 413,
  E_PAYLOAD_SIZE_WARNING: 413,
  E_MALFORMED_RESPONSE: 502,
  E_DEPENDENCY_FAILED: 409,
  E_MAX_DEPTH_EXCEEDED: 409,
  E_PROCESS_CRASH: 502,
  E_COST_LIMIT_EXCEEDED: 409,
  E_ROLLBACK_FAILED: 409,
  E_UNKNOWN: 500,

  INVALID_REQUEST: 422,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INTERNAL_ERROR: 500,
  INVALID_RESPONSE: 502,
  INVALID_STREAM: 502,

  invalid_json: 422,
  invalid_envelope: 422,
  unknown_type: 422,
  payload_too_large: 413,
  task_not_found: 404,
  parent_not_found: 404,
  taskId_mismatch: 422,
  nested_delegation: 409,
  unauthorized_agent: 409,
  stale_run: 409,
  invalid_run_result: 422,
  invalid_transition: 409,
  project_mismatch: 409,

  already_claimed: 409,
  dependencies_open: 409,
  resource_busy: 409,
  dependency_cycle: 409,
  not_running: 409,
  invalid_argument: 422,
  ambiguous_task: 409,
  ambiguous_session: 409,
  idempotency_key_reused: 409,
  storage_full: 507,
  ledger_damaged: 503,
  events_lost: 503,
  ledger_unusable: 500,
  damaged_backup: 422,
  foreign_backup: 422,
  newer_schema: 409,
  inside_data_folder: 422,
  file_exists: 409,
  changed_since: 409,
  merge_conflict: 409,
  executed_by_git: 409,
  branch_exists: 409,
  question_not_found: 404,
  ambiguous_question: 409,
  question_answered: 409,
  session_not_found: 404,
  review_not_found: 404,
  review_answered: 409,
  workspace_failed: 500,
  saved_files_damaged: 500,
  point_not_found: 404,
  work_removed: 410,
  node_stopped: 503,
  unreadable_file: 422,
  unwritable_file: 422,
  not_served: 501,

  invalid_turn: 422,
  invalid_event: 422,
  turn_index_taken: 409,
  event_id_taken: 409,
  call_id_taken: 409,
  call_not_open: 409,
  thought_ended: 409,
  invalid_payload: 422,
  invalid_record: 422,
  invalid_targets: 400,
  missing_route_fields: 400,
  no_route: 400,
  invalid_capability: 400,
  capability_unavailable: 409,
  version_incompatible: 409,
  owner_unavailable: 409,
  not_joined: 409,
  node_name_taken: 409,
  broker_unreachable: 503,
  node_not_found: 404,
  message_not_found: 404,
  incident_not_found: 404,
  key_differs: 409,
  overloaded: 429,
  work_too_large: 413,
  parcel_refused: 422,
  parcel_incomplete: 409,
  parcel_base_missing: 409,

  use_dpop_nonce: 401,
  invalid_dpop_proof: 401,
  invalid_invite: 401,
  expired_invite: 401,
  invite_used: 409,
  invalid_access_token: 401,
  expired_access_token: 401,
  invalid_refresh_token: 401,
  scope_denied: 403,
  replay_detected: 409,
  rate_limited: 429,
};
