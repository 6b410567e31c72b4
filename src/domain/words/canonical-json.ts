/** The canonical text of a value, over which a signature is made. */
export type CanonicalText =
  | { readonly kind: 'text'; readonly text: string }
  /** JSON cannot represent the value, or RFC 8785 has no canonical text for it. `path` is a JSON Pointer. */
  | { readonly kind: 'none'; readonly path: string; readonly reason: string };

/** RFC 8785: no blanks, keys in the order of their UTF-16 units, numbers and strings as ECMAScript writes them. */
export function canonicalJson(value: unknown): CanonicalText {
  try {
    return { kind: 'text', text: textOf(value, '') };
  } catch (error) {
    if (error instanceof NoText) return { kind: 'none', path: error.path, reason: error.message };
    throw error;
  }
}

class NoText extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

function textOf(value: unknown, path: string): string {
  switch (typeof value) {
    case 'string':
      return stringText(value, path);
    case 'number':
      if (!Number.isFinite(value)) throw new NoText(path, `${value} is no number of JSON`);
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? listText(value, path) : objectText(value, path);
    default:
      throw new NoText(path, `JSON has no ${typeof value}`);
  }
}

function stringText(value: string, path: string): string {
  if (!value.isWellFormed()) throw new NoText(path, 'half of a character stands alone in the text');
  return JSON.stringify(value);
}

function listText(list: readonly unknown[], path: string): string {
  return `[${Array.from(list, (item, at) => textOf(item, `${path}/${at}`)).join(',')}]`;
}

function objectText(object: object, path: string): string {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) throw new NoText(path, 'it is no plain object');
  // Without a comparator, sort compares UTF-16 units.
  const fields = Object.keys(object)
    .sort()
    .map((key) => {
      const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return `${stringText(key, at)}:${textOf((object as Record<string, unknown>)[key], at)}`;
    });
  return `{${fields.join(',')}}`;
}
