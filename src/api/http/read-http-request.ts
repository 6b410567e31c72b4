import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { TASK_TITLE_CHARACTERS_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { explainIssue } from '../../protocols/explain-issue.ts';
import { pointer } from '../../protocols/issue.ts';
import { readJson } from '../../protocols/json-text.ts';
import type { CallName } from '../calls.ts';
import { refuseKey } from '../idempotency-key.ts';
import { fieldsOfBody, type RequestFields, readFields } from '../read-fields.ts';

const RUN_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const REFERENCE = new RegExp(`^[^\\p{Cc}]{1,${TASK_TITLE_CHARACTERS_MAX}}$`, 'u');
const CONTENT_TYPE = /^\s*([\w.+-]+\/[\w.+-]+)\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;
/** The query of every request with a body: `?tree=wait` answers when the files show the change. */
const BODY_QUERY = z.object({ tree: z.enum(['wait']).optional() });

/** A call as it came over HTTP, judged by the schema of its request. */
export interface ReadCall {
  readonly request: object;
  readonly options: { readonly key?: string };
}

type RequestReader = (request: FastifyRequest) => ReadCall | Refusal;

/** Reads the calls of one name: path, query, headers and body, whichever it uses. */
export function callReader(name: CallName): RequestReader {
  const fields = fieldsOfBody(name);
  return (request) => {
    const channel = readChannel(request.headers);
    if (isRefusal(channel)) return channel;
    const given = request.method === 'GET' ? readQuery(request.query, fields) : readBody(request, fields);
    if (isRefusal(given)) return given;
    const path = readPath(request.params);
    if (isRefusal(path)) return path;
    const { run, ...options } = channel;
    return { request: { ...given, ...path, ...(fields.carriesRun && { run }) }, options };
  };
}

/** The content type, if the body is UTF-8 and not compressed; an empty body needs none. */
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

export function readBodyQuery(query: unknown): { readonly tree?: 'wait' | undefined } | Refusal {
  return readFields(query, BODY_QUERY);
}

/** No body at all is an empty object. */
function readBody(request: FastifyRequest, { schema }: RequestFields): object | Refusal {
  const query = readBodyQuery(request.query);
  if (isRefusal(query)) return query;
  const text = bodyText(request.body);
  if (text === null) return refuse('invalid_json', 'the body is not valid UTF-8');
  if (text === '') return readFields({}, schema);
  const reading = readJson(text);
  if (reading.kind === 'broken') {
    return refuse('invalid_json', explainIssue(reading.issue), pointer(reading.issue.path));
  }
  return readFields(reading.value, schema);
}

/** A query holds texts only: each is read as what its field is. */
function readQuery(query: unknown, { schema, types }: RequestFields): object | Refusal {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
    values[name] = typeof value === 'string' ? typedValue(value, types.get(name)) : value;
  }
  return readFields(values, schema);
}

function typedValue(text: string, type: string | undefined): unknown {
  if (type === 'number' && /^\d{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return type === 'array' ? text.split(',') : text;
}

export interface ChannelHeaders {
  /** Idempotency-Key */
  readonly key?: string;
  /** Baton-Run */
  readonly run: string | null;
}

export function readChannel(headers: IncomingHttpHeaders): ChannelHeaders | Refusal {
  const key = headers['idempotency-key'];
  const run = headers['baton-run'] ?? null;
  const wrongKey = key === undefined ? null : refuseKey(key, 'Idempotency-Key');
  if (wrongKey) return wrongKey;
  if (run !== null && (typeof run !== 'string' || !RUN_ID.test(run))) {
    return refuse('invalid_argument', 'Baton-Run is the id of a run, as a claim gives it');
  }
  return { run, ...(key !== undefined && { key: String(key) }) };
}

const NOT_FOUND = { session: 'session_not_found', node: 'node_not_found', event: 'message_not_found' } as const;

/** A part of a path that cannot refer to anything is refused without a search. */
function readPath(params: unknown): Readonly<Record<string, string>> | Refusal {
  const parts = params as Readonly<Record<string, string>>;
  const wrong = Object.entries(parts).find(([, value]) => !REFERENCE.test(value));
  if (!wrong) return parts;
  const [name, value] = wrong;
  const shown = JSON.stringify(value.trim().slice(0, TASK_TITLE_CHARACTERS_MAX));
  const code = Object.hasOwn(NOT_FOUND, name) ? NOT_FOUND[name as keyof typeof NOT_FOUND] : 'task_not_found';
  return refuse(code, `there is no ${name} ${shown}`);
}
