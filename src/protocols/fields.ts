import * as z from 'zod';
import { HASH_CHARACTERS_MAX, ID_CHARACTERS_MAX } from '../domain/federation/message-limits.ts';
import { TASK_NAME } from '../domain/task/task.ts';
import type { FormatName, IssueDetail } from './issue.ts';

// The building blocks of every schema. Zod judges the shape only; explain-issue.ts writes the sentence of a failure.

const instantPattern =
  /^(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,12})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const uuidPattern = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;

/** Schemas are immutable, so each is made once: making them is most of the cost of loading a codec. */
export function madeOnce<Key, Schema>(make: (key: Key) => Schema): (key: Key) => Schema {
  const made = new Map<Key, Schema>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const schema = make(key);
    made.set(key, schema);
    return schema;
  };
}

const textOfAtLeast = madeOnce((min: number) => z.string().min(min));
const textOfAtMost = madeOnce((max: number) => limited(textOfAtLeast(1), max));
const patternedAs = madeOnce((pattern: RegExp) => madeOnce((format: FormatName) => matching(pattern, format)));
const instantSchema = madeOnce((pattern: RegExp) => patterned(pattern, 'instant').meta({ format: 'date-time' }));
const countFrom = madeOnce((min: number) => z.int().min(min));
const amountFrom = madeOnce((min: number) => z.number().min(min));
const percentageUpTo = madeOnce((max: number) => z.number().min(0).max(max));

/** A non-empty string (common:required-strings). */
export function text(): z.ZodString {
  return textOfAtLeast(1);
}

/** Characters are code points (common:limits), as in JSON Schema. */
export function textUpTo(max: number, min: 0 | 1 = 1): z.ZodString {
  return min === 1 ? textOfAtMost(max) : limited(textOfAtLeast(min), max);
}

function limited(schema: z.ZodString, max: number): z.ZodString {
  return schema
    .refine((value) => hasAtMost(value, max), {
      params: { kind: 'too-long', max, unit: 'characters' } satisfies IssueDetail,
    })
    .meta({ maxLength: max });
}

/** Ids are opaque on input (common:ids). */
export function id(): z.ZodString {
  return textUpTo(ID_CHARACTERS_MAX);
}

export function hash(): z.ZodString {
  return textUpTo(HASH_CHARACTERS_MAX);
}

export function patterned(pattern: RegExp, format: FormatName): z.ZodString {
  return patternedAs(pattern)(format);
}

function matching(pattern: RegExp, format: FormatName): z.ZodString {
  return z
    .string()
    .refine((value) => pattern.test(value), { params: { kind: 'bad-format', format } })
    .meta({ pattern: pattern.source });
}

/** Any RFC 3339 date-time (common:instants). */
export function instant(): z.ZodString {
  return instantSchema(instantPattern);
}

/** SAOP: UTC only, written with Z (common:instants). */
export function instantUtc(): z.ZodString {
  return z
    .string()
    .refine((value) => value.endsWith('Z') && instantPattern.test(value), {
      params: { kind: 'bad-format', format: 'instant-utc' },
    })
    .meta({ pattern: `^(?=.*Z$)${instantPattern.source.slice(1)}`, format: 'date-time' });
}

export function uuid(): z.ZodString {
  return patterned(uuidPattern, 'uuid');
}

export function taskName(): z.ZodString {
  return patterned(TASK_NAME, 'task-name');
}

export function count(min = 0): z.ZodInt {
  return countFrom(min);
}

export function amount(min = 0): z.ZodNumber {
  return amountFrom(min);
}

export function percentage(): z.ZodNumber {
  return percentageUpTo(100);
}

/** An object with free keys and values, which are stored and not inspected. */
export function freeForm(): z.ZodRecord<z.ZodString, z.ZodUnknown> {
  return z.record(z.string(), z.unknown());
}

/** Any JSON value; it must be present. */
export function anyValue(): z.ZodUnknown {
  return z.unknown().refine((value) => value !== undefined, { params: { kind: 'missing' } });
}

function hasAtMost(value: string, max: number): boolean {
  if (value.length <= max) return true;
  if (value.length > 2 * max) return false;
  let points = 0;
  for (const _ of value) if (++points > max) return false;
  return true;
}
