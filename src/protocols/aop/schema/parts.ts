import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../../../domain/words/json-object.ts';
import { madeOnce, patterned, text } from '../../fields.ts';
import type { IssueDetail } from '../../issue.ts';
import type { EVENT_NAMES } from '../markers.ts';

/** An optional field may be null: absent (common:required-strings). */
export function optionalOrNull<T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodNullable<T>> {
  return nullish(schema) as z.ZodOptional<z.ZodNullable<T>>;
}

const nullish = madeOnce((schema: z.ZodType) => schema.nullish());

/** AOP §3: vendor data under keys that start with x_. Not a z.record: that one alone took a fifth of the time of a TASK. */
const extensionsSchema = z
  .custom<JsonObject>()
  .check((payload) => {
    if (!isJsonObject(payload.value)) {
      payload.issues.push({ code: 'invalid_type', expected: 'object', input: payload.value });
      return;
    }
    for (const key in payload.value) {
      if (key.startsWith('x_')) continue;
      const params = { kind: 'bad-key', rule: 'must start with x_' } satisfies IssueDetail;
      payload.issues.push({ code: 'custom', path: [key], params, input: payload.value });
    }
  })
  .meta({ type: 'object', propertyNames: { pattern: '^x_' } });

/** A core object: its own fields and `extensions`; what else it holds is judged by unknown-fields.ts. */
export function coreObject<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodObject<Shape & { extensions: z.ZodOptional<z.ZodNullable<typeof extensionsSchema>> }> {
  return z.object({ ...shape, extensions: optionalOrNull(extensionsSchema) });
}

const aopVersionSchema = z.string().regex(/^2\./);
const schemaVersionSchema = patterned(/^\d+\.\d+\.\d+$/, 'schema-version');
const protocolFamilySchema = z.literal('AOP');

/** AOP §1.1: TASK and RESPONSE carry all three fields. */
export function fullHeader<Type extends 'TASK' | 'RESPONSE'>(type: Type) {
  return {
    aop_version: aopVersionSchema,
    schema_version: schemaVersionSchema,
    protocol_family: protocolFamilySchema,
    message_type: z.literal(type),
  };
}

/** The document's own events leave the other two out. */
export function eventHeader<Event extends (typeof EVENT_NAMES)[number]>(event: Event) {
  return {
    aop_version: aopVersionSchema,
    schema_version: optionalOrNull(schemaVersionSchema),
    protocol_family: optionalOrNull(protocolFamilySchema),
    message_type: z.literal('EVENT'),
    event: z.literal(event),
  };
}

export const textListSchema = z.array(text());
