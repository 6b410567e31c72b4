import * as z from 'zod';
import type { Codec, ProtocolName } from './codec.ts';
import { PUBLISHED_RULES } from './published-rules.ts';

/** JSON Schema 2020-12. */
type PublishedSchema = z.core.JSONSchema.JSONSchema;

/** The published part of a codec. */
type Published = Pick<Codec<unknown>, 'protocol' | 'schemaOf' | 'unknownFields'>;

/** common:keys: no key of a known object, in any protocol. */
const FORBIDDEN_KEYS = ['constructor', 'prototype'];

const TITLES: Record<ProtocolName, string> = { aop: 'AOP', afp: 'AFP', aof: 'AOF', saop: 'SAOP', runtime: 'Runtime' };

/**
 * The JSON Schema of one kind, for checking messages without Baton. It is weaker than the codec: some rules across
 * fields, sizes in bytes and errors of JSON itself are not in it. Undefined for a kind without a JSON form.
 */
export function publishedSchema(codec: Published, kind: string): PublishedSchema | undefined {
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
  unknownFields: Published['unknownFields'],
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
