import type * as z from 'zod';
import { isJsonObject } from '../domain/words/json-object.ts';

type Order = (value: unknown) => unknown;

const orders = new WeakMap<z.core.$ZodType, Order | null>();

/** Writes keys in the order of the schema, which is that of the document; unknown keys come last. */
export function writeJson(schema: z.core.$ZodType, message: unknown, indent?: number): string {
  const order = orderOf(schema);
  return JSON.stringify(order ? order(message) : message, null, indent);
}

function orderOf(schema: z.core.$ZodType): Order | null {
  const known = orders.get(schema);
  if (known !== undefined) return known;
  const order = makeOrder((schema as z.core.$ZodTypes)._zod.def);
  orders.set(schema, order);
  return order;
}

function makeOrder(def: z.core.$ZodTypes['_zod']['def']): Order | null {
  switch (def.type) {
    case 'object':
      return orderObject(def.shape);
    case 'array': {
      const item = orderOf(def.element);
      return item && ((value) => (Array.isArray(value) ? value.map(item) : value));
    }
    case 'optional':
    case 'nullable':
    case 'default':
    case 'readonly':
      return orderOf(def.innerType);
    case 'union':
      return orderUnion(def as z.core.$ZodDiscriminatedUnionDef);
    default:
      return null;
  }
}

function orderObject(shape: Readonly<Record<string, z.core.$ZodType>>): Order {
  const fields = Object.keys(shape).map((key) => [key, orderOf(shape[key] as z.core.$ZodType)] as const);
  const known = new Set(Object.keys(shape));
  return (value) => {
    if (!isJsonObject(value)) return value;
    const out: Record<string, unknown> = {};
    for (const [key, order] of fields) {
      if (Object.hasOwn(value, key)) out[key] = order ? order(value[key]) : value[key];
    }
    for (const key in value) if (!known.has(key)) out[key] = value[key];
    return out;
  };
}

function orderUnion(def: z.core.$ZodDiscriminatedUnionDef): Order | null {
  const { discriminator, options } = def;
  if (discriminator === undefined) return null;
  return (value) => {
    if (!isJsonObject(value)) return value;
    const tag = value[discriminator] as z.core.util.Primitive;
    const branch = options.find((option) => option._zod.propValues?.[discriminator]?.has(tag));
    const order = branch && orderOf(branch);
    return order ? order(value) : value;
  };
}
