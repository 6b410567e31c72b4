import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Scalar, type YAMLMap } from 'yaml';
import { AOF_FRONT_MATTER_ALIASES_MAX, JSON_DEPTH_MAX } from '../../domain/limits.ts';
import type { Issue, IssueDetail, Path } from '../issue.ts';
import type { JsonObject } from '../json-text.ts';

interface Reader {
  readonly document: Document;
  readonly issues: Issue[];
  aliases: number;
}

/** A YAML document as plain JSON: no tags, no repeated or `__proto__` keys, few aliases, bounded depth. */
export function plainValueOf(document: Document, issues: Issue[]): unknown {
  return plainValue(document.contents, [], { document, issues, aliases: 0 });
}

function plainValue(node: unknown, path: Path, reader: Reader): unknown {
  if (isAlias(node)) return aliasedValue(node, path, reader);
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
  if (node.tag !== undefined) {
    const because = `${node.tag.slice(0, 80)} is a tag, and tags are not read`;
    return refuse(reader, path, { kind: 'not-allowed', because });
  }
  if (isScalar(node)) return plainScalar(node, path, reader);
  if (path.length >= JSON_DEPTH_MAX) {
    return refuse(reader, path, { kind: 'over-limit', what: 'nesting', max: JSON_DEPTH_MAX, unit: 'levels' });
  }
  if (isMap(node)) return plainObject(node, path, reader);
  return node.items.map((item, at) => plainValue(item, [...path, at], reader));
}

/** Counted at every use, also those inside of what another alias stands for: a cycle ends there too. */
function aliasedValue(alias: Alias, path: Path, reader: Reader): unknown {
  reader.aliases++;
  // Said once: what follows may be one alias after the other.
  if (reader.aliases > AOF_FRONT_MATTER_ALIASES_MAX + 1) return null;
  if (reader.aliases > AOF_FRONT_MATTER_ALIASES_MAX) {
    return refuse(reader, path, {
      kind: 'over-limit',
      what: 'aliases',
      max: AOF_FRONT_MATTER_ALIASES_MAX,
      unit: 'uses',
    });
  }
  const node = alias.resolve(reader.document);
  if (node) return plainValue(node, path, reader);
  return refuse(reader, path, { kind: 'unreadable', what: 'YAML', detail: 'the alias names no anchor before it' });
}

function plainObject(map: YAMLMap, path: Path, reader: Reader): JsonObject {
  const out: JsonObject = {};
  for (const pair of map.items) {
    const key = plainKey(pair.key);
    if (key === null) {
      refuse(reader, path, { kind: 'note', text: 'has a key that is no text' });
      continue;
    }
    const at = [...path, key];
    if (key === '__proto__') refuse(reader, at, { kind: 'forbidden-key' });
    else if (Object.hasOwn(out, key)) refuse(reader, at, { kind: 'repeated', got: key });
    else out[key] = plainValue(pair.value, at, reader);
  }
  return out;
}

/** A key is text, also where it looks like a number. */
function plainKey(key: unknown): string | null {
  if (!isScalar(key) || key.tag !== undefined || key.value === null) return null;
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

/** A whole number that cannot be kept exactly stays the text it was written as. */
function plainScalar({ value, source }: Scalar, path: Path, reader: Reader): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  if (!Number.isFinite(value)) {
    return refuse(reader, path, { kind: 'unreadable', what: 'a number', detail: 'it is none that can be kept' });
  }
  const isWhole = /^(?:[-+]?\d+$|0[xo])/.test(source);
  return isWhole && !Number.isSafeInteger(value) && String(value) !== source ? source : value;
}

function refuse(reader: Reader, path: Path, detail: IssueDetail): null {
  reader.issues.push({ path, ...detail });
  return null;
}
