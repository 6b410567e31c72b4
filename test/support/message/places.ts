import { isJsonObject, type JsonObject } from '../../../src/domain/words/json-object.ts';
import { branchOf, defOf, fieldOf, type Schema } from './schema-shape.ts';

export type Steps = readonly (string | number)[];

/** One value of a message, and what its schema asks of it. */
export interface Place {
  readonly path: Steps;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly isNullable: boolean;
  readonly value: unknown;
}

/** Every place of a message that its schema speaks of, the root first; free-form values are not looked into. */
export function placesOf(schema: Schema, value: unknown, path: Steps = []): Place[] {
  const field = fieldOf(schema);
  const here = { ...field, path, value };
  if (value === null) return [here];
  const def = defOf(field.schema);
  if (def.type === 'union') {
    const branch = branchOf(def.options, value);
    return branch ? placesOf(branch, value, path) : [here];
  }
  if (def.type === 'array' && Array.isArray(value)) {
    return [here, ...value.flatMap((item, at) => placesOf(def.element, item, [...path, at]))];
  }
  if (def.type !== 'object' || !isJsonObject(value)) return [here];
  const known = Object.keys(def.shape).filter((key) => Object.hasOwn(value, key));
  return [here, ...known.flatMap((key) => placesOf(def.shape[key] as Schema, value[key], [...path, key]))];
}

/** Marks a position to be left out. */
export const ABSENT = Symbol('absent');

/** A copy of the message with another value at one place. */
export function withValueAt(message: unknown, path: Steps, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(message)) return message.map((item, at) => (at === step ? withValueAt(item, rest, value) : item));
  const object = message as JsonObject;
  if (rest.length > 0 || value !== ABSENT) return { ...object, [step]: withValueAt(object[step], rest, value) };
  const { [step]: _, ...others } = object;
  return others;
}
