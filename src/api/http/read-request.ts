import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { IDEMPOTENCY_KEY_CHARACTERS_MAX, TASK_TITLE_CHARACTERS_MAX } from '../../domain/limits.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { explainIssue } from '../../protocols/explain-issue.ts';
import { pointer } from '../../protocols/issue.ts';
import { readJson } from '../../protocols/json-text.ts';
import { judgeValue, type MessageKind } from '../../protocols/judge-value.ts';

const RUN_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_CHARACTERS_MAX}}$`);
const REFERENCE = new RegExp(`^[^\\p{Cc}]{1,${TASK_TITLE_CHARACTERS_MAX}}$`, 'u');
const CONTENT_TYPE = /^\s*([\w.+-]+\/[\w.+-]+)\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;

/** The content type, where it is one in UTF-8 and not packed; an empty body needs none. */
export function contentType(headers: IncomingHttpHeaders): string | null {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return null;
  return CONTENT_TYPE.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? null;
}

/** The text of a body, or null where it is not UTF-8. */
export function bodyText(body: unknown): string | null {
  if (!(body instanceof Buffer)) return '';
  return isUtf8(body) ? body.toString('utf8') : null;
}

/** A body judged by its kind; no body at all is an empty object. */
export function readBody<Body>(body: unknown, kind: MessageKind<Body>): Body | Refusal {
  const text = bodyText(body);
  if (text === null) return refuse('invalid_json', 'the body is not valid UTF-8');
  if (text === '') return readFields({}, kind);
  const reading = readJson(text);
  if (reading.kind === 'broken') {
    return refuse('invalid_json', explainIssue(reading.issue), pointer(reading.issue.path));
  }
  return readFields(reading.value, kind);
}

/** The first finding is the refusal, the others its details. */
export function readFields<Fields>(value: unknown, kind: MessageKind<Fields>): Fields | Refusal {
  const verdict = judgeValue(value, kind);
  if (verdict.verdict === 'accepted') return verdict.message;
  const [first, ...others] = verdict.verdict === 'malformed' ? verdict.errors : [];
  const told = refuse('invalid_argument', first?.message ?? 'this is not what is asked for', first?.path ?? '');
  const refusal = { ...told, hint: 'docs/operating.md lists the fields of each route' };
  return others.length === 0 ? refusal : { ...refusal, details: others.map(({ message }) => message) };
}

export interface ChannelHeaders {
  /** Idempotency-Key */
  readonly key?: string;
  /** Baton-Run: the run that the channel carries. */
  readonly run: string | null;
}

export function readChannel(headers: IncomingHttpHeaders): ChannelHeaders | Refusal {
  const key = headers['idempotency-key'];
  const run = headers['baton-run'] ?? null;
  if (key !== undefined && (typeof key !== 'string' || !KEY.test(key))) {
    return refuse('invalid_argument', `Idempotency-Key is 1 to ${IDEMPOTENCY_KEY_CHARACTERS_MAX} printable characters`);
  }
  if (run !== null && (typeof run !== 'string' || !RUN_ID.test(run))) {
    return refuse('invalid_argument', 'Baton-Run is the id of a run, as a claim gives it');
  }
  return { run, ...(key !== undefined && { key }) };
}

/** Any way of naming a task, as one part of a path. What cannot be one is not even looked for. */
export function readReference(params: unknown): string | Refusal {
  const { ref } = params as { readonly ref: string };
  if (REFERENCE.test(ref)) return ref;
  return refuse('task_not_found', `there is no task ${JSON.stringify(ref.trim().slice(0, TASK_TITLE_CHARACTERS_MAX))}`);
}
