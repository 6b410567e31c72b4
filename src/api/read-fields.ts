import type * as z from 'zod';
import { type Refusal, refuse } from '../domain/refusal.ts';
import { fitsSchema } from '../protocols/fits-schema.ts';
import { judgeValue } from '../protocols/judge-value.ts';
import { API_HINT } from './call-hint.ts';
import { type CallName, specOf } from './calls.ts';
import { SCHEMAS } from './schemas.ts';

/** The fields of a call's request that travel in its query or its body. */
export interface RequestFields {
  readonly schema: z.ZodType<object>;
  /** The JSON type of each field. */
  readonly types: ReadonlyMap<string, string>;
  readonly carriesRun: boolean;
}

/** The fields of a request that are neither in the path nor in a header. */
export function fieldsOfBody(name: CallName): RequestFields {
  const { path, request, carriesRun = false } = specOf(name);
  const whole = SCHEMAS[request] as unknown as z.ZodObject;
  const elsewhere = [...pathFields(path), ...(carriesRun ? ['run'] : [])];
  const schema = whole.omit(Object.fromEntries(elsewhere.map((field) => [field, true])) as never) as z.ZodObject;
  const types = new Map(Object.entries(schema.shape).map(([field, type]) => [field, jsonType(type as z.ZodType)]));
  return { schema: schema as unknown as z.ZodType<object>, types, carriesRun };
}

export function pathFields(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, field = '']) => field);
}

function jsonType(schema: z.ZodType): string {
  const { def } = (schema as unknown as z.core.$ZodTypes)._zod;
  return def.type === 'optional' || def.type === 'nullable' ? jsonType(def.innerType as z.ZodType) : def.type;
}

/** The first finding is the refusal, the others its details. */
export function readFields<Fields>(value: unknown, schema: z.ZodType<Fields>): Fields | Refusal {
  // Most requests fit: then there is nothing to explain.
  if (fitsSchema(schema, value)) return value as Fields;
  const verdict = judgeValue(value, {
    kind: 'request',
    schema,
    rules: [],
    advice: [],
    unknownFields: () => 'refuse',
    codeOf: () => 'invalid_argument',
  });
  if (verdict.verdict === 'accepted') return verdict.message;
  const [first, ...others] = verdict.verdict === 'malformed' ? verdict.errors : [];
  const refusal = {
    ...refuse('invalid_argument', first?.message ?? 'the request does not fit its schema', first?.path ?? ''),
    hint: API_HINT,
  };
  return others.length === 0 ? refusal : { ...refusal, details: others.map(({ message }) => message) };
}
