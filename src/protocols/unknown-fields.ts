import type * as z from 'zod';
import { isJsonObject } from '../domain/words/json-object.ts';
import type { Path } from './issue.ts';

export interface UnknownField {
  readonly path: Path;
  /** The fields that the object may have. */
  readonly known: readonly string[];
}

type Walk = (value: unknown, path: Path, found: UnknownField[]) => void;

const walks = new WeakMap<z.core.$ZodType, Walk | null>();

/** The fields of a value that its schema does not name; free-form values are not inspected. */
export function findUnknownFields(schema: z.core.$ZodType, value: unknown): UnknownField[] {
  const found: UnknownField[] = [];
  walkOf(schema)?.(value, [], found);
  return found;
}

/** Made once per schema; null where no object below can have unknown fields. */
function walkOf(schema: z.core.$ZodType): Walk | null {
  const known = walks.get(schema);
  if (known !== undefined) return known;
  const walk = makeWalk((schema as z.core.$ZodTypes)._zod.def);
  walks.set(schema, walk);
  return walk;
}

function makeWalk(def: z.core.$ZodTypes['_zod']['def']): Walk | null {
  switch (def.type) {
    case 'object':
      return walkObject(def.shape);
    case 'array':
      return walkList(walkOf(def.element));
    case 'record':
      return walkRecord(walkOf(def.valueType));
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      return walkOf(def.innerType);
    case 'union':
      return walkUnion(def as z.core.$ZodDiscriminatedUnionDef);
    default:
      return null;
  }
}

function walkObject(shape: Readonly<Record<string, z.core.$ZodType>>): Walk {
  const known = Object.keys(shape);
  const below = new Map(known.map((key) => [key, walkOf(shape[key] as z.core.$ZodType)]));
  return (value, path, found) => {
    if (!isJsonObject(value)) return;
    for (const key in value) {
      const walk = below.get(key);
      if (walk) walk(value[key], [...path, key], found);
      else if (walk === undefined) found.push({ path: [...path, key], known });
    }
  };
}

function walkList(walk: Walk | null): Walk | null {
  if (!walk) return null;
  return (value, path, found) => {
    if (!Array.isArray(value)) return;
    for (let at = 0; at < value.length; at++) walk(value[at], [...path, at], found);
  };
}

function walkRecord(walk: Walk | null): Walk | null {
  if (!walk) return null;
  return (value, path, found) => {
    if (!isJsonObject(value)) return;
    for (const key in value) walk(value[key], [...path, key], found);
  };
}

/** A tagged union: the tag picks the branch. With an unknown tag only the schema reports, about the tag. */
function walkUnion(def: z.core.$ZodDiscriminatedUnionDef): Walk | null {
  const { discriminator, options } = def;
  if (discriminator === undefined) return null;
  return (value, path, found) => {
    if (!isJsonObject(value)) return;
    const tag = value[discriminator];
    const branch = options.find((option) => option._zod.propValues?.[discriminator]?.has(tag as z.core.util.Primitive));
    if (branch) walkOf(branch)?.(value, path, found);
  };
}
