import { JSON_DEPTH_MAX } from '../domain/federation/message-limits.ts';
import { isJsonObject, type JsonObject } from '../domain/words/json-object.ts';
import type { Issue, Path } from './issue.ts';
import { endOfString, JsonScanner, type JsonToken } from './json-scanner.ts';

/**
 * A text read as JSON. `broken` carries the value where there is one: a text with a repeated key parses, so its
 * protocol is known, but it is never accepted.
 */
export type JsonReading =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'broken'; readonly value?: unknown; readonly issue: Issue };

/** Reads JSON; checks depth before anything recurses, and rejects repeated and `__proto__` keys and infinite numbers. */
export function readJson(text: string): JsonReading {
  const keysSeen = countKeysQuickly(text) ?? countKeysWritten(text);
  if (keysSeen === TOO_DEEP) {
    return broken({ path: [], kind: 'over-limit', what: 'nesting', max: JSON_DEPTH_MAX, unit: 'levels' });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof SyntaxError ? error.message : 'it does not parse';
    return broken({ path: [], kind: 'unreadable', what: 'JSON', detail });
  }
  const keysKept = countKeysKept(value);
  if (keysKept === keysSeen || keysKept === countKeysWritten(text)) return { kind: 'value', value };
  return { kind: 'broken', value, issue: findBadKey(text) ?? findBadNumber(value) };
}

/** The object in a field; an empty one for any other value. */
export function objectAt(value: JsonObject, key: string): JsonObject {
  const found = value[key];
  return isJsonObject(found) ? found : {};
}

/** True for text that starts like a JSON object or list. */
export function startsLikeJson(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === OPEN_OBJECT || first === OPEN_LIST || /^\s*[[{]/.test(text);
}

const TOO_DEEP = -1;
const BAD_CONTENT = -2;
const SPACE = 32;
const QUOTE = 34;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/**
 * An upper bound of the number of keys: each is a colon after a quote, and so is a string that starts with a
 * colon. If as many keys survive parsing, none was lost. Null where only a scan of every character can tell.
 */
function countKeysQuickly(text: string): number | null {
  if (!hasFewBrackets(text)) return null;
  let keys = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    const before = text.charCodeAt(at - 1);
    if (before <= SPACE || (before === QUOTE && text.charCodeAt(at - 2) === BACKSLASH)) return null;
    if (before === QUOTE) keys++;
  }
  return keys;
}

/** True where the text has too few brackets to be too deep. */
function hasFewBrackets(text: string): boolean {
  let open = 0;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) if (++open > JSON_DEPTH_MAX) return false;
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) if (++open > JSON_DEPTH_MAX) return false;
  return true;
}

/**
 * The number of keys in the text, without building anything; TOO_DEEP as soon as nesting passes the limit. It skims
 * strings, colons and brackets, in half the time of a scan for tokens: JSON.parse judges the rest.
 */
function countKeysWritten(text: string): number {
  let depth = 0;
  let keys = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at === -1) return keys;
    } else if (code === COLON) keys++;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (++depth > JSON_DEPTH_MAX) return TOO_DEEP;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
  }
  return keys;
}

function isLast(token: JsonToken): boolean {
  return token === 'end' || token === 'broken' || token === 'cut';
}

/** The number of keys that survived parsing: fewer than were written when one was repeated. */
function countKeysKept(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : BAD_CONTENT;
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      const below = countKeysKept(item);
      if (below < 0) return BAD_CONTENT;
      keys += below;
    }
    return keys;
  }
  for (const key in value) {
    if (key === '__proto__') return BAD_CONTENT;
    const below = countKeysKept((value as JsonObject)[key]);
    if (below < 0) return BAD_CONTENT;
    keys += below + 1;
  }
  return keys;
}

interface Level {
  readonly keys: Set<string> | null;
  part: string | number;
}

/** The first repeated or `__proto__` key of a text that parses. */
function findBadKey(text: string): Issue | null {
  const scanner = new JsonScanner(text);
  const levels: Level[] = [];
  for (let token = scanner.next(); !isLast(token); token = scanner.next()) {
    if (token === 'close') levels.pop();
    const level = levels.at(-1);
    if (token === 'key') {
      const bad = takeKey(levels, JSON.parse(text.slice(scanner.start, scanner.end)) as string);
      if (bad) return bad;
    } else if (token !== 'close' && level && typeof level.part === 'number') level.part++;
    if (token === 'object') levels.push({ keys: new Set(), part: '' });
    if (token === 'list') levels.push({ keys: null, part: -1 });
  }
  return null;
}

function takeKey(levels: readonly Level[], key: string): Issue | null {
  const level = levels.at(-1);
  if (!level?.keys) return null;
  level.part = key;
  if (key !== '__proto__' && !level.keys.has(key)) {
    level.keys.add(key);
    return null;
  }
  const path = levels.map((each) => each.part);
  return key === '__proto__' ? { path, kind: 'forbidden-key' } : { path, kind: 'repeated', got: key };
}

function findBadNumber(value: unknown): Issue {
  const path = pathToInfinity(value) ?? [];
  return { path, kind: 'unreadable', what: 'a number', detail: 'it is larger than any number that can be kept' };
}

function pathToInfinity(value: unknown): Path | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : [];
  if (typeof value !== 'object' || value === null) return null;
  const isList = Array.isArray(value);
  for (const key in value) {
    const below = pathToInfinity((value as JsonObject)[key]);
    if (below) return [isList ? Number(key) : key, ...below];
  }
  return null;
}

function broken(issue: Issue): JsonReading {
  return { kind: 'broken', issue };
}
