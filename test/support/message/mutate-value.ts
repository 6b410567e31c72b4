import { isJsonObject, type JsonObject } from '../../../src/domain/words/json-object.ts';
import { pick, type Random } from '../seed.ts';
import { ABSENT, type Place, withValueAt } from './places.ts';
import { boundsOf, defOf, optionsOf } from './schema-shape.ts';

/** The required verdict on a changed message. */
export type Must = 'not-accepted' | 'accepted' | 'warned' | 'anything';

export interface Change {
  readonly value: unknown;
  readonly what: string;
}

/** One way to make a place wrong; null where it does not apply. The result may never be accepted. */
type Spoil = (place: Place, random: Random) => unknown;

const NOT_APPLICABLE = null;

const WRONG_TYPES: Readonly<Record<string, readonly unknown[]>> = {
  string: [42, true, [], {}, ['text'], { text: 'text' }],
  number: ['5', '', true, [], {}, [1]],
  boolean: ['true', 0, 1, [], {}],
  object: ['text', 7, true, [], [{}]],
  record: ['text', 7, true, [], [{}]],
  array: ['text', 7, true, {}, { 0: 'a', length: 1 }],
  enum: [42, true, [], {}],
  literal: [[], {}, 'no such value', -1],
};

const dropRequired: Spoil = ({ path, isRequired }) =>
  isRequired && typeof path.at(-1) === 'string' ? ABSENT : NOT_APPLICABLE;

const wrongType: Spoil = ({ schema }, random) => {
  const wrong = WRONG_TYPES[boundsOf(schema).isObject ? 'object' : defOf(schema).type];
  return wrong ? pick(wrong, random) : NOT_APPLICABLE;
};

const forbiddenNull: Spoil = ({ schema, isNullable }) =>
  isNullable || defOf(schema).type === 'unknown' || isLaxList(schema) ? NOT_APPLICABLE : WRITTEN_NULL;

const wrongOption: Spoil = ({ schema, value }, random) => {
  const options = optionsOf(schema);
  if (!options) return NOT_APPLICABLE;
  const text = String(value);
  const near = ['NO_SUCH_VALUE', '', `${text} `, `${text}\n`, text.toLowerCase(), text.toUpperCase(), `${text}\u0000`];
  return pick(
    near.filter((each) => !options.includes(each)),
    random,
  );
};

const outOfBounds: Spoil = ({ schema, value }, random) => {
  const { min, max, isInteger, minLength, maxLength } = boundsOf(schema);
  const { type } = defOf(schema);
  const wrong: unknown[] = [];
  if (type === 'number') {
    if (min !== null) wrong.push(min - 1, -1e9);
    if (max !== null) wrong.push(max + 1, 1e12);
    if (isInteger) wrong.push(Number(value) + 0.5 > 1e15 ? 1.5 : (min ?? 0) + 1.5, 2 ** 53);
  } else if (type === 'string') {
    if (minLength > 0) wrong.push('');
    if (maxLength !== null) wrong.push('a'.repeat(maxLength + 1), '😀'.repeat(maxLength + 1));
  } else if (Array.isArray(value) && type === 'array') {
    if (minLength > 0) wrong.push([]);
    if (maxLength !== null && value.length > 0) wrong.push(Array.from({ length: maxLength + 1 }, () => value[0]));
  }
  return wrong.length === 0 ? NOT_APPLICABLE : pick(wrong, random);
};

const wrongFormat: Spoil = ({ schema, value }, random) => {
  const { pattern } = boundsOf(schema);
  if (!pattern) return NOT_APPLICABLE;
  const near = [
    '',
    ' ',
    '1.0',
    `${value}\n`,
    ` ${value}`,
    `${value}\u0000`,
    String(value).slice(1),
    'not one of these',
  ];
  return pick(
    near.filter((text) => !pattern.test(text)),
    random,
  );
};

/** common:keys: outside free-form values. */
const forbiddenKey: Spoil = ({ schema, value }, random) => {
  if (defOf(schema).type !== 'object' || !isJsonObject(value)) return NOT_APPLICABLE;
  return { ...value, [pick(['constructor', 'prototype'], random)]: pick([{}, null, 1, { prototype: {} }], random) };
};

/** AOP §3: vendor keys start with x_. */
const badExtensionKey: Spoil = ({ schema, value }, random) =>
  boundsOf(schema).isObject && isJsonObject(value)
    ? { ...value, [pick(['vendor', 'X_a', ''], random)]: 1 }
    : NOT_APPLICABLE;

const SPOILS: Readonly<Record<string, Spoil>> = {
  'a required field is dropped': dropRequired,
  'a value of the wrong type': wrongType,
  'null where none may be': forbiddenNull,
  'a value that is no option': wrongOption,
  'a value out of bounds': outOfBounds,
  'a value of the wrong format': wrongFormat,
  'a forbidden key': forbiddenKey,
  'a vendor key without x_': badExtensionKey,
};

/** null is a value to write as well as a sign for nothing. */
const WRITTEN_NULL = Symbol('null');

/** One place of the message made wrong, so that no codec may accept it; null where this way does not fit this place. */
export function spoil(message: unknown, place: Place, random: Random): Change | null {
  const [name, way] = pick(Object.entries(SPOILS), random);
  const wrong = way(place, random);
  if (wrong === NOT_APPLICABLE) return null;
  const value = withValueAt(message, place.path, wrong === WRITTEN_NULL ? null : wrong);
  return { value, what: `${name} at /${place.path.join('/')}` };
}

/** A key beside the known ones of an object; null where the place is no such object. */
export function addField(message: unknown, place: Place, field: JsonObject): Change | null {
  if (defOf(place.schema).type !== 'object' || !isJsonObject(place.value)) return null;
  const value = withValueAt(message, place.path, { ...place.value, ...field });
  return { value, what: `${Object.keys(field).join()} added at /${place.path.join('/')}` };
}

/** A custom schema that is no object takes anything but what breaks its limits. */
function isLaxList(schema: Place['schema']): boolean {
  return defOf(schema).type === 'custom' && !boundsOf(schema).isObject;
}
