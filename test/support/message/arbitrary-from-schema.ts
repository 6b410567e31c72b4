import fc from 'fast-check';
import { boundsOf, defOf, fieldOf, optionsOf, type Schema } from './schema-shape.ts';

const LIST_ITEMS_MAX = 3;
const TEXT_CHARACTERS_MAX = 24;
const INTEGER_MAX = Number.MAX_SAFE_INTEGER;

/** Messages of the shape that a schema asks for; rules across fields are not looked at. */
export function arbitraryFrom(schema: Schema): fc.Arbitrary<unknown> {
  const options = optionsOf(schema);
  if (options) return fc.constantFrom(...options);
  const def = defOf(schema);
  switch (def.type) {
    case 'optional':
    case 'readonly':
      return arbitraryFrom(def.innerType);
    case 'nullable':
      return fc.option(arbitraryFrom(def.innerType), { freq: 8 });
    case 'object':
      return objects(def.shape);
    case 'array': {
      const { minLength } = boundsOf(schema);
      return fc.array(arbitraryFrom(def.element), { minLength, maxLength: minLength + LIST_ITEMS_MAX });
    }
    case 'union':
      return fc.oneof(...def.options.map(arbitraryFrom));
    case 'string':
      return strings(schema);
    case 'number':
      return numbers(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'record':
      return freeObjects('');
    case 'custom':
      return boundsOf(schema).isObject
        ? freeObjects('x_')
        : fc.array(anyText(TEXT_CHARACTERS_MAX), { maxLength: LIST_ITEMS_MAX });
    case 'unknown':
      return freeValues();
    default:
      throw new Error(`no arbitrary for a schema of type ${def.type}`);
  }
}

function objects(shape: Readonly<Record<string, Schema>>): fc.Arbitrary<unknown> {
  const keys = Object.keys(shape).filter((key) => defOf(fieldOf(shape[key] as Schema).schema).type !== 'never');
  const required = keys.filter((key) => fieldOf(shape[key] as Schema).isRequired);
  const model = Object.fromEntries(keys.map((key) => [key, arbitraryFrom(shape[key] as Schema)]));
  return fc.record(model, { requiredKeys: required, noNullPrototype: true });
}

/** Words that trip careless readers, beside any text at all. */
function anyText(maxLength: number): fc.Arbitrary<string> {
  const nasty = [
    '__proto__',
    'constructor',
    '"',
    '\\',
    '\\u0000',
    '{"a":1}',
    '\ud800',
    '\udfff',
    '\u0000',
    '😀',
    '\u2028',
  ];
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength }) },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength, unit: 'binary' }) },
    { weight: 1, arbitrary: fc.constantFrom(...nasty.map((text) => text.slice(0, maxLength))) },
  );
}

function strings(schema: Schema): fc.Arbitrary<string> {
  const { pattern, format, minLength, maxLength } = boundsOf(schema);
  if (pattern) {
    const made = format === 'date-time' ? instants() : fc.stringMatching(withoutLookahead(pattern));
    return made.filter((text) => pattern.test(text));
  }
  const text = anyText(Math.min(maxLength ?? TEXT_CHARACTERS_MAX, TEXT_CHARACTERS_MAX));
  const longest =
    maxLength === null
      ? text
      : fc.oneof({ weight: 12, arbitrary: text }, { weight: 1, arbitrary: fc.constant('😀'.repeat(maxLength)) });
  return minLength === 0
    ? fc.oneof({ weight: 4, arbitrary: longest }, { weight: 1, arbitrary: fc.constant('') })
    : longest;
}

/** fast-check makes no text for a lookahead; what the rest of the pattern gives is filtered by the whole of it. */
function withoutLookahead(pattern: RegExp): RegExp {
  return new RegExp(pattern.source.replace(/^\^\(\?=[^)]*\)/, '^'));
}

function instants(): fc.Arbitrary<string> {
  const days = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  });
  const endings = fc.constantFrom('Z', 'Z', '.5Z', '.123456Z', '+02:00', '-23:59');
  return fc.tuple(days, endings).map(([day, ending]) => `${day.toISOString().slice(0, 19)}${ending}`);
}

function numbers(schema: Schema): fc.Arbitrary<number> {
  const { min, max, isInteger } = boundsOf(schema);
  const edges = [min, max].filter((edge) => edge !== null);
  const some = isInteger
    ? fc.oneof(
        fc.integer({ min: min ?? -1000, max: Math.min(max ?? 1000, (min ?? 0) + 1000) }),
        fc.integer({ min: min ?? -INTEGER_MAX, max: max ?? INTEGER_MAX }),
      )
    : fc.double({ ...(min !== null && { min }), ...(max !== null && { max }), noNaN: true, noDefaultInfinity: true });
  // JSON has no -0: it goes out as 0.
  const kept = some.map((value) => (value === 0 ? 0 : value));
  return edges.length === 0
    ? kept
    : fc.oneof({ weight: 6, arbitrary: kept }, { weight: 1, arbitrary: fc.constantFrom(...edges) });
}

function freeObjects(keyStart: string): fc.Arbitrary<unknown> {
  const keys = fc.string({ maxLength: 8 }).map((key) => `${keyStart}${key}`);
  return fc.array(fc.tuple(keys, freeValues()), { maxLength: LIST_ITEMS_MAX }).map(withoutProto);
}

function freeValues(): fc.Arbitrary<unknown> {
  return fc
    .jsonValue({ maxDepth: 2 })
    .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as unknown);
}

function withoutProto(entries: [string, unknown][]): Record<string, unknown> {
  return Object.fromEntries(entries.filter(([key]) => key !== '__proto__'));
}
