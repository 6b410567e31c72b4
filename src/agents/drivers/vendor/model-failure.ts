import type { FailureSignal } from '../../../domain/agent-signal.ts';

interface ModelError {
  /** The HTTP status; null where the vendor reports none. */
  readonly status: number | null;
  readonly message: string;
}

/** aop:model-errors: the end of a run whose model refused or failed. */
export function modelFailure({ status, message: told }: ModelError, login: string): FailureSignal {
  const message = errorWords(told);
  if (status === 401 || status === 403)
    return { kind: 'failure', code: 'E_PERMISSION_DENIED', message: `its vendor refuses it: ${message}; ${login}` };
  if (status === 404 || ((status === null || status === 400) && MODEL_MISSING.test(message)))
    return { kind: 'failure', code: 'E_MODEL_UNAVAILABLE', message: `its model was not found: ${message}` };
  if (status === 429 || (status !== null && status >= 500))
    return { kind: 'failure', code: 'E_MODEL_UNAVAILABLE', message: `its model did not answer: ${message}` };
  return { kind: 'failure', code: 'E_PROCESS_CRASH', message: `it gave up: ${message}` };
}

/** The sentence of an error that an API wraps in JSON, once or twice; other text as it is. */
export function errorWords(text: string): string {
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

/** A vendor's words for a model that it does not have, or not for this account. */
const MODEL_MISSING = /\bmodel\b.{0,120}\b(?:does not exist|not found|is not supported|may not exist)/is;

/** The HTTP status that an error names in words, such as `unexpected status 401 Unauthorized`. */
export function statusIn(message: string): number | null {
  const status = /\bstatus(?: code)?:? (\d{3})\b/i.exec(message)?.[1];
  return status === undefined ? null : Number(status);
}
