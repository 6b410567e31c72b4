import * as z from 'zod';
import { batonVersion } from '../platform/process/own-process.ts';
import type { CallSpec } from './call-spec.ts';
import { CALL_NAMES, type CallName, specOf } from './calls.ts';
import { fieldsOfBody, pathFields } from './read-fields.ts';
import { SCHEMAS, type ShapeName } from './schemas.ts';

type Json = Readonly<Record<string, unknown>>;

const JSON_TYPE = 'application/json';
/** The content types of answers, by the form of a call. */
const CONTENT_TYPES = {
  message: JSON_TYPE,
  events: 'text/event-stream',
  lines: 'application/x-ndjson',
  login: JSON_TYPE,
  proof: JSON_TYPE,
  'proved-events': 'text/event-stream',
} as const;
const MESSAGE_STATUSES = {
  400: 'The message names no route, or targets that do not exist.',
  403: 'The message is outside of the scope of the run, or the server refused the request.',
  409: 'The message was refused.',
  413: 'The message is too large.',
  415: 'The text is of no protocol, or the content type is not accepted.',
  422: 'The message is malformed, or a header is wrong.',
  429: 'The agents that could do the task take no more.',
  507: 'The disk is full.',
} as const;
const KEY_HEADER = header('Idempotency-Key', 'Sent again with the same key, a call gives its first answer.');
const RUN_HEADER = header('Baton-Run', 'The call counts only if this run still holds the task.');
const PROOF_HEADER = { ...header('DPoP', 'A proof of possession for this request (RFC 9449).'), required: true };
const LINK_HEADER = { ...header('Baton-Link', 'The code of the link.'), required: true };
const TREE_QUERY = {
  name: 'tree',
  in: 'query',
  required: false,
  description: 'wait: answers when the files show the change.',
  schema: { type: 'string', enum: ['wait'] },
};

/** The OpenAPI 3.1 document of the table of calls. */
export function describeApi(): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const name of CALL_NAMES) {
    const { path, method } = specOf(name);
    const operations = paths[path] ?? {};
    const before = operations[method.toLowerCase()];
    operations[method.toLowerCase()] = before ? merged(before, operationOf(name)) : operationOf(name);
    paths[path] = operations;
  }
  paths['/healthz'] = { get: openOperation('healthz', 'Whether the process answers.', [200]) };
  paths['/readyz'] = { get: openOperation('readyz', 'Whether the node is ready: 200, else 503.', [200, 503]) };
  return {
    openapi: '3.1.0',
    info: { title: 'Baton', version: batonVersion(), description: 'The calls of a Baton node.' },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' }, proved: { type: 'http', scheme: 'DPoP' } },
      schemas: { ...Object.fromEntries(shapeNames().map((name) => [name, schemaOf(SCHEMAS[name])])), Error: ERROR },
    },
  };
}

function operationOf(name: CallName): Json {
  const facts = specOf(name);
  const { about, effect, repeat, who, status = 200, answer } = facts;
  const content = { [CONTENT_TYPES[facts.form ?? 'message']]: { schema: reference(answer) } };
  return {
    operationId: name,
    summary: about,
    ...(who === 'anybody' && { security: [] }),
    ...(who === 'external' && { security: [{ proved: [] }] }),
    parameters: parametersOf(name, facts),
    ...(facts.method !== 'GET' && facts.form !== 'login' && { requestBody: bodyOf(name, facts) }),
    responses: {
      [status]: { description: about, content },
      ...(facts.form === 'message' && messageResponses()),
      default: {
        description: 'A refusal, or an error of the HTTP server.',
        content: { [JSON_TYPE]: { schema: reference('Error') } },
      },
    },
    'x-baton-effect': effect,
    'x-baton-repeat': repeat,
    'x-baton-who': who,
  };
}

/** A message that was not accepted is answered in its own form; the statuses are those of `answerStatus`. */
function messageResponses(): Json {
  const content = { [JSON_TYPE]: { schema: { anyOf: [reference('SendAnswer'), reference('Error')] } } };
  const responses = Object.entries(MESSAGE_STATUSES).map(([status, description]) => [status, { description, content }]);
  return Object.fromEntries(responses);
}

/** A path that needs no token. */
function openOperation(name: string, summary: string, statuses: readonly number[]): Json {
  const schema = { type: 'object', required: ['ok'], properties: { ok: { type: 'boolean' } } };
  const response = { description: summary, content: { [JSON_TYPE]: { schema } } };
  const responses = Object.fromEntries(statuses.map((status) => [status, response]));
  return { operationId: name, summary, security: [], responses };
}

function parametersOf(name: CallName, { request, method, path, repeat, effect, carriesRun, form }: CallSpec): Json[] {
  if (form === 'login') return [LINK_HEADER];
  const isProved = form === 'proof' || form === 'proved-events';
  const inPath = pathFields(path).map((field) => pathParameter(request, field));
  return [
    ...inPath,
    ...(method === 'GET' ? queryOf(name) : []),
    ...(isProved ? [PROOF_HEADER] : []),
    ...(effect === 'changes' && !isProved ? [TREE_QUERY] : []),
    ...(repeat === 'keyed' ? [KEY_HEADER] : []),
    ...(carriesRun ? [RUN_HEADER] : []),
  ];
}

/** With the description of its field, where the name alone does not say what it takes. */
function pathParameter(request: ShapeName, field: string): Json {
  const { properties = {} } = schemaOf(SCHEMAS[request]) as { readonly properties?: Record<string, Json> };
  const { description } = properties[field] ?? {};
  const about = description !== undefined && { description };
  return { name: field, in: 'path', required: true, ...about, schema: { type: 'string' } };
}

function queryOf(name: CallName): Json[] {
  const { properties = {}, required = [] } = schemaOf(fieldsOfBody(name).schema) as {
    readonly properties?: Readonly<Record<string, Json>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([field, schema]) => ({
    name: field,
    in: 'query',
    required: required.includes(field),
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema,
  }));
}

function bodyOf(name: CallName, { form }: CallSpec): Json {
  if (form === 'lines') {
    return { required: true, content: { 'application/x-ndjson': { schema: reference('BatchLine') } } };
  }
  if (form === 'message') {
    const types = [JSON_TYPE, 'text/plain', 'application/x-ndjson'];
    return { required: true, content: Object.fromEntries(types.map((type) => [type, { schema: {} }])) };
  }
  const schema = schemaOf(fieldsOfBody(name).schema);
  return { required: 'required' in schema, content: { [JSON_TYPE]: { schema } } };
}

/** Two calls of one path, distinguished by the Accept header. */
function merged(first: Json, second: Json): Json {
  const content = (operation: Json) =>
    (operation.responses as Record<string, { readonly content: Json }>)['200']?.content;
  const parameters = [...(first.parameters as Json[])];
  for (const each of second.parameters as Json[]) {
    if (!parameters.some(({ name }) => name === each.name)) parameters.push(each);
  }
  const responses = first.responses as Record<string, Json>;
  const ok = { ...responses['200'], content: { ...content(first), ...content(second) } };
  return { ...first, summary: `${first.summary} ${second.summary}`, parameters, responses: { ...responses, 200: ok } };
}

function schemaOf(schema: z.ZodType): Json {
  const { $schema: _draft, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}

function shapeNames(): readonly ShapeName[] {
  return Object.keys(SCHEMAS) as ShapeName[];
}

function reference(name: ShapeName | 'Error'): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function header(name: string, description: string): Json {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } };
}

const ERROR: Json = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'path', 'hint', 'retryable'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        path: { type: 'string', description: 'JSON Pointer to the field at fault; empty for the whole request.' },
        hint: { type: 'string' },
        retryable: { type: 'boolean' },
        details: { type: 'array', items: { type: 'string' } },
        problems: { type: 'array', items: { type: 'object' } },
      },
    },
  },
};
