/**
 * Reads a value of JSON that somebody else wrote, field by field: the result has the fields of the shape and no others. The
 * kernel's own values travel between nodes, and the schemas of protocols are of no use for them.
 */
export type Shape<Value> = (value: unknown, path: string) => Value;

export type ShapeReading<Value> =
  | { readonly kind: 'read'; readonly value: Value }
  | { readonly kind: 'misfit'; readonly path: string; readonly reason: string };

export class Misfit extends Error {
  readonly path: string;

  constructor(path: string, reason: string) {
    super(reason);
    this.path = path;
  }
}

export function readShape<Value>(shape: Shape<Value>, value: unknown): ShapeReading<Value> {
  try {
    return { kind: 'read', value: shape(value, '') };
  } catch (error) {
    if (error instanceof Misfit) return { kind: 'misfit', path: error.path, reason: error.message };
    throw error;
  }
}

/** At most this many UTF-16 units, each of a whole character. */
export function boundedText(unitsMax: number, pattern: RegExp | null = null): Shape<string> {
  return (value, path) => {
    if (typeof value !== 'string') throw new Misfit(path, 'is not a text');
    if (value.length > unitsMax) throw new Misfit(path, `has more than ${unitsMax} characters`);
    if (pattern !== null && !pattern.test(value)) throw new Misfit(path, 'has another form');
    return value.toWellFormed();
  };
}

/** One of some words. */
export function word<Word extends string>(words: readonly Word[]): Shape<Word> {
  return (value, path) => {
    const found = words.find((one) => one === value);
    if (found === undefined) throw new Misfit(path, `is none of ${words.slice(0, 10).join(', ')}`);
    return found;
  };
}

export function number(min: number, max: number): Shape<number> {
  return (value, path) => {
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      throw new Misfit(path, `is no number from ${min} to ${max}`);
    }
    return value;
  };
}

export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): Shape<number> {
  return (value, path) => {
    if (!Number.isSafeInteger(value)) throw new Misfit(path, 'is no integer');
    return number(min, max)(value, path);
  };
}

/** Milliseconds since 1970, as far as dates go. */
export const instantMs: Shape<number> = integer(0, 8.64e15);

export const trueOrFalse: Shape<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw new Misfit(path, 'is neither true nor false');
  return value;
};

export function orNull<Value>(shape: Shape<Value>): Shape<Value | null> {
  return (value, path) => (value === null ? null : shape(value, path));
}

/** The fallback stands for a value that does not fit, and for one that is absent. */
export function orElse<Value>(shape: Shape<Value>, fallback: Value): Shape<Value> {
  return (value) => {
    const read = readShape(shape, value);
    return read.kind === 'read' ? read.value : fallback;
  };
}

/** The items of a list that fit; none where it is no list. */
export function fittingItems<Value>(shape: Shape<Value>, lengthMax: number): Shape<readonly Value[]> {
  return (value) => {
    const items: readonly unknown[] = Array.isArray(value) ? value.slice(0, lengthMax) : [];
    return items.flatMap((item) => {
      const read = readShape(shape, item);
      return read.kind === 'read' ? [read.value] : [];
    });
  };
}

export function list<Value>(shape: Shape<Value>, lengthMax: number): Shape<readonly Value[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new Misfit(path, 'is no list');
    if (value.length > lengthMax) throw new Misfit(path, `has more than ${lengthMax} items`);
    return value.map((item, at) => shape(item, `${path}/${at}`));
  };
}

/** A field that may be absent. */
export interface Optional<Value> {
  readonly optional: Shape<Value>;
}

export function optionalField<Value>(shape: Shape<Value>): Optional<Value> {
  return { optional: shape };
}

export type Fields<Value> = {
  readonly [Name in keyof Value]-?: undefined extends Value[Name]
    ? Optional<Exclude<Value[Name], undefined>>
    : Shape<Value[Name]>;
};

/** An object with these fields; any other is dropped. */
export function object<Value extends object>(fields: Fields<Value>): Shape<Value> {
  const shapes = Object.entries(fields) as [string, Shape<unknown> | Optional<unknown>][];
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Misfit(path, 'is no object');
    const read: Record<string, unknown> = {};
    for (const [name, shape] of shapes) {
      const field = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
      const at = `${path}/${name}`;
      if (typeof shape === 'function') read[name] = shape(field, at);
      else if (field !== undefined) read[name] = shape.optional(field, at);
    }
    return read as Value;
  };
}

/** One of several objects, told apart by `kind`. */
export function kinds<Value extends { readonly kind: string }>(
  shapes: {
    readonly [Kind in Value['kind']]: Shape<Extract<Value, { readonly kind: Kind }>>;
  },
): Shape<Value> {
  return (value, path) => {
    const kind = object<{ readonly kind: string }>({ kind: boundedText(100) })(value, path).kind;
    const found = Object.hasOwn(shapes, kind) ? shapes[kind as Value['kind']] : undefined;
    if (found === undefined) throw new Misfit(`${path}/kind`, 'is unknown');
    return (found as Shape<Value>)(value, path);
  };
}

/** Any object of JSON, up to a size; nobody reads it. */
export function anyObject(unitsMax: number): Shape<Readonly<Record<string, unknown>>> {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Misfit(path, 'is no object');
    if (JSON.stringify(value).length > unitsMax) throw new Misfit(path, `has more than ${unitsMax} characters`);
    return value as Readonly<Record<string, unknown>>;
  };
}
