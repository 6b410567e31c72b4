import { JSON_DEPTH_MAX } from '../domain/limits.ts';
import { endOfString, type JsonObject } from './json-text.ts';

/** What whoever only asks whose a text is has to know of it. */
export interface JsonOutline {
  /** Its keys; of the values only short strings, the others are null. Null where the text is a list. */
  readonly top: JsonObject | null;
}

/**
 * The top level of a text that readJson can read, null for any other. Nothing below is built: millions of small lists
 * cost no memory here.
 */
export function outlineJson(text: string): JsonOutline | null {
  return new OutlineReader(text).read();
}

/** No marker is longer. */
const KEPT_CHARACTERS_MAX = 64;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

class OutlineReader {
  readonly #text: string;
  /** Of each level that is open, whether it is an object. */
  readonly #levels: boolean[] = [];
  readonly #top: JsonObject = Object.create(null);
  #at = 0;
  #name = '';

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonOutline | null {
    this.#skipBlanks();
    const isObject = this.#code() === OPEN_OBJECT;
    for (;;) {
      const begun = this.#begin();
      if (begun === 'broken') return null;
      if (begun === 'level') continue;
      const next = this.#goOn();
      if (next === 'broken') return null;
      if (next === 'end') return { top: isObject ? this.#top : null };
    }
  }

  /** Stands before a value: reads it, or opens its level and stands before the first one there. */
  #begin(): 'value' | 'level' | 'broken' {
    const code = this.#code();
    if (code === QUOTE) {
      const string = this.#string();
      if (string === null) return 'broken';
      if (this.#isTop()) this.#top[this.#name] = string;
      return 'value';
    }
    if (code !== OPEN_OBJECT && code !== OPEN_LIST) return this.#numberOrWord() ? 'value' : 'broken';
    if (this.#levels.length === JSON_DEPTH_MAX) return 'broken';
    const isObject = code === OPEN_OBJECT;
    this.#at++;
    this.#skipBlanks();
    if (this.#code() === (isObject ? CLOSE_OBJECT : CLOSE_LIST)) {
      this.#at++;
      return 'value';
    }
    this.#levels.push(isObject);
    return !isObject || this.#key() ? 'level' : 'broken';
  }

  /** Stands behind a value: closes what ends here, up to the next value or the end. */
  #goOn(): 'next' | 'end' | 'broken' {
    for (;;) {
      this.#skipBlanks();
      const isObject = this.#levels.at(-1);
      if (isObject === undefined) return this.#at === this.#text.length ? 'end' : 'broken';
      const code = this.#code();
      this.#at++;
      if (code === COMMA) {
        this.#skipBlanks();
        return !isObject || this.#key() ? 'next' : 'broken';
      }
      if (code !== (isObject ? CLOSE_OBJECT : CLOSE_LIST)) return 'broken';
      this.#levels.pop();
    }
  }

  #key(): boolean {
    if (this.#code() !== QUOTE) return false;
    const name = this.#string();
    this.#skipBlanks();
    if (name === null || this.#code() !== COLON) return false;
    this.#at++;
    this.#skipBlanks();
    if (!this.#isTop()) return true;
    this.#name = name;
    this.#top[name] = null;
    return true;
  }

  #isTop(): boolean {
    return this.#levels.length === 1 && this.#levels[0] === true;
  }

  /** The string that begins here, if it is short; null where it is none. */
  #string(): string | null {
    const text = this.#text;
    const from = this.#at + 1;
    const end = text.indexOf('"', from);
    if (end === -1) return null;
    for (let at = from; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH) return this.#escapedString();
      if (code < SPACE) return null;
    }
    this.#at = end + 1;
    return end - from > KEPT_CHARACTERS_MAX ? '' : text.slice(from, end);
  }

  #escapedString(): string | null {
    const end = endOfString(this.#text, this.#at);
    try {
      const string = JSON.parse(this.#text.slice(this.#at, end + 1)) as string;
      this.#at = end + 1;
      return string.length > KEPT_CHARACTERS_MAX ? '' : string;
    } catch {
      // An escape that does not exist, or no end.
      return null;
    }
  }

  #numberOrWord(): boolean {
    NUMBER_OR_WORD.lastIndex = this.#at;
    const [word] = NUMBER_OR_WORD.exec(this.#text) ?? [];
    this.#at += word?.length ?? 0;
    return word !== undefined;
  }

  #skipBlanks(): void {
    const text = this.#text;
    let at = this.#at;
    for (let code = text.charCodeAt(at); code <= SPACE; code = text.charCodeAt(++at)) {
      if (code !== SPACE && code !== 10 && code !== 13 && code !== 9) break;
    }
    this.#at = at;
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }
}
