import type { Refusal } from '../../domain/refusal.ts';

interface DoorErrorFacts {
  readonly status: number;
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
}

const final = (status: number, message: string, hint: string): DoorErrorFacts => ({
  status,
  message,
  hint,
  retryable: false,
});
const later = (status: number, message: string, hint: string): DoorErrorFacts => ({
  status,
  message,
  hint,
  retryable: true,
});

/** What only the door says: the request never got as far as the node. */
export const DOOR_ERRORS = {
  bad_request: final(400, 'this is not a request as HTTP/1.1 asks for it', 'look at the request line and the headers'),
  unauthenticated: final(
    401,
    'the request has no valid token',
    'send Authorization: Bearer TOKEN, with the token of node.json in the data folder',
  ),
  forbidden_host: final(403, 'the Host header does not name this node', 'use the url of node.json, as it stands there'),
  forbidden_origin: final(403, 'pages of other origins may not talk to this node', 'call it from a program'),
  scope_denied: final(
    403,
    "this token is for its own run's task only",
    'with it: GET /v1/tasks/$BATON_TASK, POST …/beat and …/end there, POST /v1/messages about that task',
  ),
  route_not_found: final(404, 'there is nothing at this path', 'docs/operating.md lists the routes'),
  method_not_allowed: final(405, 'this path does not take this method', 'the Allow header names those it takes'),
  request_timeout: later(408, 'the request took too long to arrive', 'send it again'),
  unsupported_content_type: final(
    415,
    'the body is of a content type that this path does not take',
    'send application/json, in UTF-8 and without Content-Encoding',
  ),
  door_busy: later(429, 'too many large bodies are on their way to this node', 'send it again in a moment'),
  headers_too_large: final(431, 'the headers are too large', 'send fewer or shorter headers'),
  node_failed: final(500, 'the node failed at this request', 'its log tells more: baton doctor'),
  node_crowded: later(
    503,
    'the node has no file descriptor left for this',
    'send it again in a moment; a higher ulimit -n lets it do more at once',
  ),
  node_stopping: later(503, 'the node is stopping', 'try again when it is up'),
} as const satisfies Record<string, DoorErrorFacts>;

export type DoorErrorCode = keyof typeof DOOR_ERRORS;

/** The one form of every error that leaves the door. */
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

export function doorErrorBody(code: DoorErrorCode): ErrorBody {
  const { message, hint, retryable } = DOOR_ERRORS[code];
  return { error: { code, message, path: '', hint, retryable } };
}

export function refusalBody({ kind: _kind, ...refusal }: Refusal): ErrorBody {
  const { code, message, path, hint, retryable, details, problems } = refusal;
  const more = { ...(details && { details }), ...(problems && { problems }) };
  return { error: { code, message, path, hint, retryable, ...more } };
}
