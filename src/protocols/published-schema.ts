import * as z from 'zod';
import { AOP_EXPECTED_OUTPUTS_MAX, AOP_INPUTS_MAX } from '../domain/federation/message-limits.ts';
import type { Codec, ProtocolName } from './codec.ts';

/** JSON Schema 2020-12. */
type PublishedSchema = z.core.JSONSchema.JSONSchema;

/** The published part of a codec. */
type PublishedCodec = Pick<Codec<unknown>, 'protocol' | 'schemaOf' | 'unknownFields'>;

/** common:keys: no key of a known object, in any protocol. */
const FORBIDDEN_KEYS = ['constructor', 'prototype'];

const TITLES: Record<ProtocolName, string> = { aop: 'AOP', afp: 'AFP', aof: 'AOF', saop: 'SAOP', runtime: 'Runtime' };

/**
 * The JSON Schema of one kind, for checking messages without Baton. It is weaker than the codec: some rules across
 * fields, sizes in bytes and errors of JSON itself are not in it. Undefined for a kind without a JSON form.
 */
export function publishedSchema(codec: PublishedCodec, kind: string): PublishedSchema | undefined {
  const schema = codec.schemaOf(kind);
  if (!schema) return undefined;
  const { $schema, ...shape } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => tellUnknownFields(zodSchema._zod.def, jsonSchema, codec.unknownFields),
  });
  const rules = PUBLISHED_RULES[`${codec.protocol}/${kind}`];
  return {
    ...($schema === undefined ? {} : { $schema }),
    $id: schemaId(codec.protocol, kind),
    title: `${TITLES[codec.protocol]} ${kind}`,
    ...shape,
    ...(rules ? { allOf: [...rules] } : {}),
  };
}

/** An identifier, not an address: nothing is fetched from it. */
function schemaId(protocol: ProtocolName, kind: string): string {
  return `https://baton.local/schema/${protocol}/${kind}.json`;
}

/** Objects with a loose schema accept any field, whatever the protocol's rule is. */
function tellUnknownFields(
  def: z.core.$ZodTypes['_zod']['def'],
  shape: z.core.JSONSchema.BaseSchema,
  unknownFields: PublishedCodec['unknownFields'],
): void {
  if (def.type !== 'object') return;
  delete shape.additionalProperties;
  if (def.catchall || unknownFields === 'kept') {
    shape.propertyNames = { not: { enum: [...FORBIDDEN_KEYS] } };
    return;
  }
  if (unknownFields === 'refused-unless-x') shape.patternProperties = { '^x-': {} };
  shape.additionalProperties = false;
}

type SchemaPart = z.core.JSONSchema.BaseSchema;

const SKILL_DISTRIBUTION: SchemaPart = { required: ['capabilityId', 'delegationSkillRef', 'requiredBy'] };

/**
 * Rules that the codecs check outside of their schemas and that JSON Schema can express, by `protocol/kind`. The
 * conformance suite compares both on the corpus; its list gives the reason for every rule that is missing here.
 */
const PUBLISHED_RULES: Readonly<Record<string, readonly SchemaPart[]>> = {
  'aop/TASK': [
    inField('task', {
      properties: {
        inputs: { type: ['array', 'null'], maxItems: AOP_INPUTS_MAX },
        expected_outputs: { type: ['array', 'null'], maxItems: AOP_EXPECTED_OUTPUTS_MAX },
      },
    }),
  ],
  'afp/request': [inField('artifact', textIsText())],
  'afp/response': [
    when(equal('status', 'success'), { required: ['feedback'], ...absent('error') }),
    when(equal('status', 'error'), { required: ['error'], ...absent('feedback') }),
    when(equal('iteration', 0), equal('status', 'error')),
  ],
  'aof/status.update': [inField('payload', oneOfFields('status', 'progress', 'blockers', 'notes'))],
  'runtime/message': [oneRecipientIfNamed(), inField('payload', allStandsAlone())],
  'runtime/ack': [inField('payload', { anyOf: [{ required: ['refEventId'] }, oneOfFields('etaAt', 'etaSeconds')] })],
  'runtime/task_create': [
    oneRecipientIfNamed(),
    inField('payload', allStandsAlone()),
    inField('payload', { anyOf: [filled('toAgents'), filled('requiredCapabilities')] }),
    inField('payload', when(equal('taskType', 'skill_distribution'), SKILL_DISTRIBUTION)),
  ],
  'runtime/task_accept': [inField('payload', oneOfFields('etaAt', 'etaSeconds'))],
};

function inField(name: string, rule: SchemaPart): SchemaPart {
  return { properties: { [name]: { type: 'object', ...rule } } };
}

function when(condition: SchemaPart, rule: SchemaPart): SchemaPart {
  return { anyOf: [{ not: condition }, rule] };
}

/** True where the field is present and has this value. */
function equal(name: string, value: string | number): SchemaPart {
  return { properties: { [name]: { const: value } }, required: [name] };
}

function absent(name: string): SchemaPart {
  return { properties: { [name]: { not: {} } } };
}

function oneOfFields(...names: string[]): SchemaPart {
  return { anyOf: names.map((name) => ({ required: [name] })) };
}

function filled(name: string): SchemaPart {
  return { properties: { [name]: { type: 'array', minItems: 1 } }, required: [name] };
}

/** runtime:recipients */
function oneRecipientIfNamed(): SchemaPart {
  const oneRecipient = inField('payload', { properties: { toAgents: { type: 'array', maxItems: 1 } } });
  return when({ required: ['toAgentId'] }, oneRecipient);
}

/** runtime:values */
function allStandsAlone(): SchemaPart {
  const namesEach = { type: 'array', not: { contains: { const: 'all' } } } as const;
  return { properties: { toAgents: { anyOf: [{ type: 'array', maxItems: 1 }, namesEach] } } };
}

/** afp:content; a media type is the same in any case. */
function textIsText(): SchemaPart {
  const isText: SchemaPart = { properties: { media_type: { type: 'string', pattern: '^[Tt][Ee][Xx][Tt]/' } } };
  return when({ ...isText, required: ['media_type'] }, { properties: { content: { type: 'string' } } });
}
