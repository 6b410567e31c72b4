import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PROTOCOL_NAMES } from '../../src/protocols/codec.ts';
import { publishedSchema } from '../../src/protocols/published-schema.ts';
import { loadCodec } from '../../src/protocols/registry.ts';

// The corpus judges messages; these tables list every field of every message with its presence, type, values and limits,
// as the documents' tables and the rulings of docs/protocols have them. A field that is added, loosened or tightened differs.

interface Shape {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Shape>>;
  readonly [key: string]: unknown;
}

const LIMITS = ['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'minItems', 'maxItems', 'pattern'];

/** The type of a value in one word, with its values and limits. */
function typeOf(shape: Shape): string {
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (shape.enum) return shape.enum.map((value) => JSON.stringify(value)).join(' | ');
  const variants = shape.anyOf ?? shape.oneOf;
  if (variants) return variants.map(typeOf).join(' | ');
  // SAOP accepts instants in UTC only.
  if (shape.format === 'date-time') return String(shape.pattern).startsWith('^(?=.*Z$)') ? 'instant in UTC' : 'instant';
  const limits = LIMITS.filter((name) => shape[name] !== undefined).map((name) => `${name} ${String(shape[name])}`);
  return [shape.type ?? 'any', ...limits].join(', ');
}

function linesOf(shape: Shape, path: string, root: Shape): string[] {
  const named = shape.$ref ? (root.$defs?.[shape.$ref.split('/').at(-1) ?? ''] ?? root) : shape;
  const below = [named, ...(named.anyOf ?? named.oneOf ?? [])].flatMap((each) => [
    ...Object.entries(each.properties ?? {}).flatMap(([name, field]) => {
      const presence = each.required?.includes(name) ? 'required' : 'optional';
      return [`${path}/${name}: ${presence} ${typeOf(field)}`, ...linesOf(field, `${path}/${name}`, root)];
    }),
    ...(each.items ? [`${path}/*: ${typeOf(each.items)}`, ...linesOf(each.items, `${path}/*`, root)] : []),
  ]);
  return below;
}

describe('the fields', () => {
  for (const protocol of PROTOCOL_NAMES) {
    test(`${protocol}: every message has exactly the fields, types and values of its table`, async () => {
      const codec = await loadCodec(protocol);
      const lines = codec.kinds.flatMap((kind) => {
        const schema = publishedSchema(codec, kind) as Shape | undefined;
        return schema === undefined ? [] : [`# ${kind}`, ...linesOf(schema, '', schema)];
      });
      const table = join(import.meta.dirname, 'fields', `${protocol}.txt`);
      assert.deepEqual(lines, readFileSync(table, 'utf8').trimEnd().split('\n'));
    });
  }
});
