import type { JsonObject } from '../domain/words/json-object.ts';
import { JsonScanner } from './json-scanner.ts';

/** Enough of a text to detect its protocol. */
export interface JsonOutline {
  /** The keys of an object, with short strings as values and null for all others. Null for a list. */
  readonly top: JsonObject | null;
}

/** No marker is longer. */
const STRING_CHARACTERS_MAX = 64;
/** An escape, or a character that is not valid without one. */
const SPECIAL = /[\\\x00-\x1f]/;

/**
 * The top level of a text that readJson can read, null for any other. Deeper levels are scanned and not built, so
 * millions of small lists use no memory.
 */
export function outlineJson(text: string): JsonOutline | null {
  const scanner = new JsonScanner(text);
  const top: JsonObject = Object.create(null);
  let isObject = false;
  let name = '';
  for (;;) {
    const token = scanner.next();
    if (token === 'broken' || token === 'cut') return null;
    if (token === 'end') return scanner.isComplete ? { top: isObject ? top : null } : null;
    const isTop = scanner.depth === 1 && scanner.isInObject;
    if (token === 'object' && isTop) isObject = true;
    if (token !== 'key' && token !== 'string') continue;
    const string = readShortString(text, scanner.start, scanner.end);
    if (string === null) return null;
    if (!isTop) continue;
    if (token === 'string') top[name] = string;
    else {
      name = string;
      top[name] = null;
    }
  }
}

/** The string between the quotes if it is short, else ''; null where it is not valid. */
function readShortString(text: string, start: number, end: number): string | null {
  const string = text.slice(start + 1, end - 1);
  if (SPECIAL.test(string)) return readEscapedString(text.slice(start, end));
  return string.length > STRING_CHARACTERS_MAX ? '' : string;
}

function readEscapedString(quoted: string): string | null {
  try {
    const string = JSON.parse(quoted) as string;
    return string.length > STRING_CHARACTERS_MAX ? '' : string;
  } catch {
    // An unknown escape.
    return null;
  }
}
