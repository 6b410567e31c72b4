import fc from 'fast-check';
import { isJsonObject, type JsonObject } from '../../../src/domain/words/json-object.ts';
import type { AfpRequest, AfpResponse } from '../../../src/protocols/afp/schema.ts';
import type { ResponseMessage } from '../../../src/protocols/aop/schema/response.ts';
import type { Codec, DecodeHints } from '../../../src/protocols/codec.ts';
import { hasMarker } from '../../../src/protocols/detect.ts';
import { arbitraryFrom } from './arbitrary-from-schema.ts';

type Repair = (message: JsonObject) => JsonObject;

/** Rules that a schema cannot express: each function makes a generated message satisfy them. */
const REPAIRS: Readonly<Record<string, Repair>> = {
  'aop/RESPONSE': (message) => withMinimalReport(message as ResponseMessage),
  'afp/request': (message) => withFittingContent(message as AfpRequest),
  'afp/response': (message) => withFittingBody(message as AfpResponse),
  'runtime/message': (message) => inPayload(message, (payload) => withRecipients(message, payload)),
  'runtime/task_create': (message) => inPayload(message, (payload) => withRoute(message, payload)),
  'runtime/task_accept': (message) => inPayload(message, withEta),
  'runtime/ack': (message) => inPayload(message, (payload) => ('taskId' in payload ? withEta(payload) : payload)),
  'aof/completion.report': (message) => inPayload(aboutOneTask(message), withTestSum),
  'aof/status.update': (message) => inPayload(aboutOneTask(message), (payload) => ({ ...payload, notes: 'noted' })),
  'aof/handoff.request': aboutOneTask,
  'aof/handoff.accepted': aboutOneTask,
  'aof/handoff.rejected': aboutOneTask,
  'aof/run_result': withTestSum,
};

/** Messages that the codec must accept. Undefined where the kind has no JSON form. */
export function validMessages(codec: Codec<unknown>, kind: string): fc.Arbitrary<JsonObject> | undefined {
  const schema = codec.schemaOf(kind);
  if (!schema) return undefined;
  const repair = REPAIRS[`${codec.protocol}/${kind}`] ?? ((message) => message);
  const shaped = (arbitraryFrom(schema) as fc.Arbitrary<JsonObject>).map(repair);
  if (codec.protocol === 'aop') return withVersions(shaped);
  return `${codec.protocol}/${kind}` === 'aof/task' ? withBodies(shaped) : shaped;
}

function withVersions(messages: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.tuple(messages, AOP_VERSIONS).map(([message, version]) => ({ ...message, aop_version: version }));
}

/** A task file: its schema is that of its front matter. */
function withBodies(messages: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  const bodies = fc.oneof(fc.string(), fc.constantFrom('', '---\n', '# Title\n\n## Work Log\n', '\r\n---\r\n'));
  return fc.tuple(messages, bodies).map(([frontMatter, body]) => ({ frontMatter, body }));
}

const AOP_VERSIONS = fc.constantFrom('2.0.0', '2.0.1-M', '2.0.1-E', '2.0.2-C', '2.1.0', '2.');

/** A kind without a marker is named to the codec. */
export function hintsFor(codec: Codec<unknown>, kind: string, message: unknown): DecodeHints {
  return hasMarker(codec.protocol, message) ? {} : { kind };
}

function withMinimalReport(message: ResponseMessage): JsonObject {
  const summary = message.execution_summary ?? {};
  return {
    ...message,
    task_status: { ...message.task_status, final_signal: message.task_status.final_signal ?? 'SUCCESS' },
    execution_summary: {
      ...summary,
      summary: summary.summary || 'done',
      actions: summary.actions?.length ? summary.actions : ['did it'],
    },
  };
}

function withFittingContent(message: AfpRequest): JsonObject {
  const { content } = message.artifact;
  const text = typeof content === 'string';
  const mediaType = text ? 'text/markdown; charset="utf-8"' : 'application/json';
  return { ...message, artifact: { ...message.artifact, media_type: mediaType } };
}

function withFittingBody(message: AfpResponse): JsonObject {
  const { feedback, error, ...rest } = message;
  if (!feedback || message.status === 'error') {
    return { ...rest, status: 'error', error: error ?? { code: 'INTERNAL_ERROR', message: 'broken' } };
  }
  const areas = feedback.areas_for_improvement.map((area, at) => ({ ...area, id: `area-${at}-of-it` }));
  return {
    ...rest,
    iteration: Math.max(1, message.iteration),
    feedback: { ...feedback, areas_for_improvement: areas },
  };
}

function inPayload(message: JsonObject, repair: Repair): JsonObject {
  return isJsonObject(message.payload) ? { ...message, payload: repair(message.payload) } : message;
}

function withRecipients(message: JsonObject, payload: JsonObject): JsonObject {
  const toAgents = (payload.toAgents as string[]).filter((name) => name !== 'all');
  return { ...payload, toAgents: toAgents.length === 0 || 'toAgentId' in message ? ['swe-backend'] : toAgents };
}

function withRoute(message: JsonObject, payload: JsonObject): JsonObject {
  return { ...withRecipients(message, { toAgents: [], ...payload }), taskType: 'work' };
}

function withEta(payload: JsonObject): JsonObject {
  return 'etaAt' in payload ? payload : { ...payload, etaSeconds: 60 };
}

function aboutOneTask(message: JsonObject): JsonObject {
  return inPayload(message, (payload) => ('taskId' in payload ? { ...payload, taskId: message.taskId } : payload));
}

function withTestSum(report: JsonObject): JsonObject {
  const { passed, failed } = report.tests as { passed: number; failed: number };
  const [some, others] = [Math.min(passed, 1e6), Math.min(failed, 1e6)];
  return { ...report, tests: { total: some + others, passed: some, failed: others } };
}
