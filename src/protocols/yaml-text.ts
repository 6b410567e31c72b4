import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import {
  AOF_FRONT_MATTER_ALIASES_MAX,
  AOF_FRONT_MATTER_BYTES_MAX,
  AOF_FRONT_MATTER_TOKENS_MAX,
  JSON_DEPTH_MAX,
} from '../domain/federation/message-limits.ts';
import type { JsonObject } from '../domain/words/json-object.ts';
import type { Issue, IssueDetail, Path } from './issue.ts';
import { isLargerThan } from './text-size.ts';

type YamlReading =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'broken'; readonly issues: readonly Issue[] };

/** Reads YAML as plain JSON values by the core schema, so that dates stay text. Errors call the text `what`. */
export function readYaml(text: string, what = 'front matter'): YamlReading {
  const refusal = tooCostly(text, what);
  if (refusal) return broken(refusal);
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    // plainObject finds repeated keys: the library compares every key with every other.
    uniqueKeys: false,
    prettyErrors: false,
    // Below this level the library drops a second document silently.
    logLevel: 'error',
    lineCounter,
  });
  const [error] = document.errors;
  if (error?.code === 'RESOURCE_EXHAUSTION') return broken(overLimit(what, JSON_DEPTH_MAX, 'levels of nesting'));
  if (error) {
    const { line } = lineCounter.linePos(error.pos[0]);
    return broken(notYaml(`${error.message}, in line ${line} of the ${what}`));
  }
  const issues: Issue[] = [];
  const value = plainValueOf(document, issues);
  return issues.length === 0 ? { kind: 'value', value } : { kind: 'broken', issues };
}

const GOOD_ESCAPE = /\\(?:[0abt\tnvfre "/\\N_LP\r\n]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|U[\dA-Fa-f]{8})/g;

/** The library continues after an error and stores each one, so text that would cause very many is refused first. */
function tooCostly(text: string, what: string): IssueDetail | null {
  if (isLargerThan(text, AOF_FRONT_MATTER_BYTES_MAX)) return overLimit(what, AOF_FRONT_MATTER_BYTES_MAX, 'bytes');
  let tokens = 0;
  for (const token of new Lexer().lex(text)) {
    if (++tokens > AOF_FRONT_MATTER_TOKENS_MAX) return overLimit(what, AOF_FRONT_MATTER_TOKENS_MAX, 'tokens');
    if (token.startsWith('"') && token.replace(GOOD_ESCAPE, '').includes('\\')) {
      return notYaml('a quoted text has an unknown escape');
    }
  }
  return null;
}

function overLimit(what: string, max: number, unit: string): IssueDetail {
  return { kind: 'over-limit', what, max, unit };
}

function notYaml(detail: string): IssueDetail {
  return { kind: 'unreadable', what: 'YAML', detail };
}

function broken(detail: IssueDetail): YamlReading {
  return { kind: 'broken', issues: [{ path: [], ...detail }] };
}

interface Reader {
  readonly document: Document;
  readonly issues: Issue[];
  aliases: number;
}

/** A YAML document as plain JSON: no tags, no repeated or `__proto__` keys, few aliases, bounded depth. */
function plainValueOf(document: Document, issues: Issue[]): unknown {
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

/** Every use counts, also uses inside of another alias's value: this ends cycles too. */
function aliasedValue(alias: Alias, path: Path, reader: Reader): unknown {
  reader.aliases++;
  // Reported once: thousands of aliases may follow.
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
      refuse(reader, path, { kind: 'note', text: 'has a key that is not text' });
      continue;
    }
    const at = [...path, key];
    if (key === '__proto__') refuse(reader, at, { kind: 'forbidden-key' });
    else if (Object.hasOwn(out, key)) refuse(reader, at, { kind: 'repeated', got: key });
    else out[key] = plainValue(pair.value, at, reader);
  }
  return out;
}

/** A key is text, even if it looks like a number. */
function plainKey(key: unknown): string | null {
  if (!isScalar(key) || key.tag !== undefined || key.value === null) return null;
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

/** An integer that a double cannot hold exactly stays text. */
function plainScalar({ value, source }: Scalar, path: Path, reader: Reader): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  if (!Number.isFinite(value)) {
    return refuse(reader, path, { kind: 'unreadable', what: 'a number', detail: 'it is not a finite number' });
  }
  const isWhole = /^(?:[-+]?\d+$|0[xo])/.test(source);
  return isWhole && !Number.isSafeInteger(value) && String(value) !== source ? source : value;
}

function refuse(reader: Reader, path: Path, detail: IssueDetail): null {
  reader.issues.push({ path, ...detail });
  return null;
}
