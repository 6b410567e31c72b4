import type { FailureSignal, QuotaSignal } from '../../../domain/agent/agent-signal.ts';
import { CREDIT } from '../../../domain/agent/quota.ts';

interface ModelError {
  /** The HTTP status; null where the vendor reports none. */
  readonly status: number | null;
  readonly message: string;
}

/** aop:model-errors: the end of a run whose model refused or failed; an account without credit is out of quota. */
export function modelEnd(error: ModelError, login: string): readonly (QuotaSignal | FailureSignal)[] {
  const failure = modelFailure(error, login);
  if (error.status !== 402 && !NO_CREDIT.test(error.message)) return [failure];
  const message = `its account has no credit left: ${errorWords(error.message)}`;
  return [
    { kind: 'quota', message, resets: null, scope: CREDIT },
    { kind: 'failure', code: 'model-unavailable', message },
  ];
}

/** The words of vendors and gateways for an account that has to pay first. */
const NO_CREDIT =
  /\bcredit balance is too low\b|\binsufficient[_ ](?:credits?|funds|balance|quota)\b|\bout of credits\b|\bpayment required\b/i;

/** The words of vendors' programs for a model that gave them no answer, or none that they understand. */
const NO_ANSWER = new RegExp(
  [
    ...['unable to connect', 'connection (?:to the api was lost|error|refused|reset|closed|timed out)', 'fetch failed'],
    ...[
      'error sending request',
      'ECONN[A-Z]+',
      'E(?:NOTFOUND|AI_AGAIN|TIMEDOUT)',
      'socket hang up',
      'API Error: terminated',
    ],
    ...['self[- ]signed certificate', 'stream disconnected', 'stream ended without', 'incomplete JSON segment'],
    ...['empty or malformed response', 'high demand', 'at capacity', 'overloaded', 'server error'],
    'discovery failed',
  ]
    .map((words) => `\\b${words}\\b`)
    .join('|'),
  'i',
);

export function modelFailure(error: ModelError, login: string): FailureSignal {
  const { message: told } = error;
  const hosts = hostsIn(told);
  const blamed = { ...(hosts.length > 0 && { hosts }), ...(BY_PROXY.test(told) && { isRefusedByProxy: true }) };
  return { kind: 'failure', ...failureOfRefusal(error, login), ...blamed };
}

function failureOfRefusal(
  { status, message: told }: ModelError,
  login: string,
): Pick<FailureSignal, 'code' | 'message'> {
  const message = errorWords(told);
  if (status === 401 || status === 403 || (status === null && LOGIN_LOST.test(message)))
    return { code: 'permission-denied', message: `its vendor refuses it: ${message}; ${login}` };
  if (status === 404 || ((status === null || status === 400) && MODEL_MISSING.test(message)))
    return { code: 'model-unavailable', message: `its model was not found: ${message}` };
  if (status === 429 || (status === null ? NO_ANSWER.test(message) : status >= 500))
    return { code: 'model-unavailable', message: `its model did not answer: ${message}` };
  return { code: 'process-crashed', message: `it gave up: ${message}` };
}

/** A login that has expired, and that the vendor does not renew. */
const LOGIN_LOST = /\bcould not be refreshed\b|\b(?:sign|log) in again\b/i;

/** The words of clients whose proxy refused them, without the name of the host. */
const BY_PROXY = /\bproxy connection failed|\bHTTP CONNECT failed/i;

/** Errors name their host early; a longer text is a page of somebody. */
const SEARCHED_CHARACTERS_MAX = 4_096;

const HOST = /(?:(?<![\w.-])(?:[a-z0-9-]+\.)+[a-z0-9-]*[a-z0-9]|\blocalhost|\[[0-9a-f:]+\])(?::\d{1,5})?(?!\w)/gi;

/** Names of hosts and addresses in a vendor's text, each once. */
function hostsIn(text: string): readonly string[] {
  return [...new Set(text.slice(0, SEARCHED_CHARACTERS_MAX).match(HOST) ?? [])];
}

/** The sentence of an error that an API wraps in JSON, once or twice; the title of a web page; other text as it is. */
export function errorWords(told: string): string {
  const text = told.replace(PAGE, (page) => /<title>([^<]{1,500})<\/title>/i.exec(page)?.[1]?.trim() || 'a web page');
  const [start, end] = [text.indexOf('{'), text.lastIndexOf('}') + 1];
  if (start === -1 || end <= start) return text;
  try {
    const words = JSON.parse(text.slice(start, end))?.error?.message;
    return typeof words === 'string' && words !== ''
      ? `${text.slice(0, start)}${errorWords(words)}${text.slice(end)}`
      : text;
  } catch {
    return text;
  }
}

/** The answer of a proxy or a portal in the way. */
const PAGE = /<(?:!doctype html|html)\b.*?(?:<\/html>|$)/is;

/** A vendor's words for a model that it does not have, or not for this account. */
const MODEL_MISSING = /\bmodel\b.{0,120}\b(?:does not exist|not found|is not supported|may not exist)/is;

/** The HTTP status that an error names in words, such as `unexpected status 401 Unauthorized`. */
export function statusIn(message: string): number | null {
  const status = /\bstatus(?: code)?:? (\d{3})\b/i.exec(message)?.[1];
  return status === undefined ? null : Number(status);
}
