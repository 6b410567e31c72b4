import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { isJsonObject, type JsonObject } from '../domain/words/json-object.ts';
import type { Issue } from './issue.ts';

/** JSON Schemas of the payloads that an operator added (SAOP §3), by their type. A schema describes the fields beside `type`. */
export type EventTypes = Readonly<Record<string, unknown>>;

/** The types of SAOP §2. */
export const OWN_EVENT_TYPES: readonly string[] = [
  ...['THOUGHT_STREAM', 'TOOL_LIFECYCLE_INVOKED', 'TOOL_LIFECYCLE_COMPLETED', 'TASK_TRANSITION', 'SANDBOX_PULSE'],
];
const TYPE_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;
const SCHEMA_CHARACTERS_MAX = 64 * 1_024;
const JSON_TYPES: ReadonlySet<unknown> = new Set([
  ...['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'],
]);

/** The reason why a type cannot be registered; null where it can. */
export function whyNoEventType(name: string, schema: unknown): string | null {
  if (OWN_EVENT_TYPES.includes(name)) return 'it is a type of SAOP itself';
  if (!TYPE_NAME.test(name)) return 'a type is 1 to 64 capital letters, digits and underscores, as COVERAGE_MEASURED';
  const text = JSON.stringify(schema);
  if (text.length > SCHEMA_CHARACTERS_MAX) return `its schema is longer than ${SCHEMA_CHARACTERS_MAX} characters`;
  const why = whyNoSchema(schema);
  return why === null ? null : `its schema cannot be used: ${why}`;
}

/** The reason why a value is no JSON Schema; null where it is one. */
export function whyNoSchema(schema: unknown): string | null {
  const wrong = wrongPart(schema);
  if (wrong !== null) return wrong;
  try {
    validatorOf(schema).validate({});
    return null;
  } catch (error) {
    return (error as Error).message.split('\n', 1)[0] ?? '';
  }
}

/** A type that JSON does not have, or a pattern that is none; null where there is neither. */
function wrongPart(schema: unknown): string | null {
  if (Array.isArray(schema)) return firstWrong(schema);
  if (!isJsonObject(schema)) return null;
  const { type, pattern, enum: _enum, const: _const, default: _default, examples: _examples, ...rest } = schema;
  const named = typeof type === 'string' ? [type] : Array.isArray(type) ? type : [];
  const unknown = named.find((name) => !JSON_TYPES.has(name));
  if (unknown !== undefined) return `${JSON.stringify(unknown)} is no type of JSON`;
  if (typeof pattern === 'string' && !isPattern(pattern)) return `${JSON.stringify(pattern)} is no pattern`;
  return firstWrong([type, pattern, ...Object.values(rest)]);
}

function firstWrong(parts: readonly unknown[]): string | null {
  for (const part of parts) {
    const wrong = wrongPart(part);
    if (wrong !== null) return wrong;
  }
  return null;
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    // A pattern that cannot be compiled.
    return false;
  }
}

/** Judges the fields of a payload beside its type. */
export type JudgePayload = (payload: JsonObject) => readonly Issue[];

const kept = new WeakMap<EventTypes, Readonly<Record<string, JudgePayload>>>();

/** Made once for a configuration. */
export function payloadJudges(types: EventTypes): Readonly<Record<string, JudgePayload>> {
  const known = kept.get(types);
  if (known) return known;
  const judges = Object.entries(types).map(([name, schema]): [string, JudgePayload] => {
    const validator = validatorOf(schema);
    return [name, (payload) => payloadIssues(validator, payload)];
  });
  const made = Object.fromEntries(judges);
  kept.set(types, made);
  return made;
}

function payloadIssues(validator: Validator, { type: _type, ...fields }: JsonObject): readonly Issue[] {
  const { valid, errors } = validator.validate(fields);
  if (valid) return [];
  const own = errors.filter(({ keyword }) => !ABOUT_PARTS.has(keyword));
  return (own.length > 0 ? own : errors.slice(-1)).map(issueOf);
}

/** Sentences about the places of a value that do not fit a JSON Schema; empty where it fits. */
export function schemaViolations(value: unknown, schema: unknown): readonly string[] {
  const { valid, errors } = validatorOf(schema).validate(value);
  if (valid) return [];
  const own = errors.filter(({ keyword }) => !ABOUT_PARTS.has(keyword));
  return (own.length > 0 ? own : errors.slice(-1)).map(({ instanceLocation, error }) => {
    const place = instanceLocation.replace(/^#/, '');
    return `${place === '' ? 'the result' : place}: ${error.replace(/\.$/, '')}`;
  });
}

/** Findings that repeat one about a part of the value. */
const ABOUT_PARTS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'items', 'prefixItems', 'allOf', '$ref', 'false'],
]);

function issueOf({ instanceLocation, keyword, error }: OutputUnit): Issue {
  const parts = instanceLocation.split('/').slice(1).map(unescaped);
  const text = keyword === 'false' ? 'its registered schema has no such field' : error.replace(/\.$/, '');
  return { path: ['payload', ...parts], kind: 'note', text: `does not fit: ${text}` };
}

/** A part of a JSON Pointer in a URI. */
function unescaped(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}

function validatorOf(schema: unknown): Validator {
  return new Validator(schema as Schema, '2020-12', false);
}
