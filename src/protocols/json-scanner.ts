import { JSON_DEPTH_MAX } from '../domain/federation/message-limits.ts';

export type JsonToken =
  /** The opening bracket of an object or a list. */
  | 'object'
  | 'list'
  /** The closing bracket of either. */
  | 'close'
  | 'key'
  | 'string'
  /** A number, true, false or null. */
  | 'scalar'
  /** The text ends inside a string that begins at `start`. */
  | 'cut'
  /** The text ends; the value may continue in the next piece. */
  | 'end'
  /** Not JSON, whatever follows, or nested too deep. */
  | 'broken';

// Bits: the tokens that the grammar allows next.
const NOTHING = 0;
const VALUE = 1;
const KEY = 2;
const CLOSE = 4;
const COLON_NEXT = 8;
const COMMA_NEXT = 16;

const TAB = 9;
const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * The tokens of one JSON value, in bounded depth and without building it. Strings are delimited, not validated: JSON.parse
 * judges their escapes. Each character is read once. The text may arrive in pieces; no token spans two of them.
 */
export class JsonScanner {
  /** The token begins here, with its quote, and ends before `end`. */
  start = 0;
  end = 0;
  /** The innermost open bracket is that of an object. */
  isInObject = false;
  isTooDeep = false;
  #text: string;
  /** Whether each open bracket begins an object. */
  readonly #levels: boolean[] = [];
  #allowed = VALUE;
  #isBroken = false;

  constructor(text = '') {
    this.#text = text;
  }

  /** Continues with another piece of the text. */
  feed(text: string): void {
    this.#text = text;
    this.end = 0;
  }

  /** The open brackets; for a key those around it. */
  get depth(): number {
    return this.#levels.length;
  }

  get isKeyNext(): boolean {
    return (this.#allowed & KEY) !== 0;
  }

  /** The value is complete: only blanks may follow. */
  get isComplete(): boolean {
    return this.#allowed === NOTHING && !this.#isBroken;
  }

  next(): JsonToken {
    const text = this.#text;
    for (let at = this.end; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === SPACE || code === LINE_FEED || code === RETURN || code === TAB) continue;
      if (code === COLON && this.#allowed === COLON_NEXT) this.#allowed = VALUE;
      else if (code === COMMA && (this.#allowed & COMMA_NEXT) !== 0) this.#allowed = this.isInObject ? KEY : VALUE;
      else return this.#token(code, at);
    }
    this.end = text.length;
    return 'end';
  }

  #token(code: number, at: number): JsonToken {
    this.start = at;
    if (code === QUOTE) return this.#string(at);
    if (code === CLOSE_OBJECT || code === CLOSE_LIST) return this.#close(code === CLOSE_OBJECT, at);
    if ((this.#allowed & VALUE) === 0) return this.#break();
    if (code === OPEN_OBJECT || code === OPEN_LIST) return this.#open(code === OPEN_OBJECT, at);
    SCALAR.lastIndex = at;
    if (!SCALAR.test(this.#text)) return this.#break();
    this.#endValue(SCALAR.lastIndex);
    return 'scalar';
  }

  #string(at: number): JsonToken {
    if ((this.#allowed & (KEY | VALUE)) === 0) return this.#break();
    const close = endOfString(this.#text, at);
    if (close === -1) {
      this.end = this.#text.length;
      return 'cut';
    }
    if ((this.#allowed & KEY) === 0) {
      this.#endValue(close + 1);
      return 'string';
    }
    this.end = close + 1;
    this.#allowed = COLON_NEXT;
    return 'key';
  }

  #open(isObject: boolean, at: number): JsonToken {
    if (this.#levels.length === JSON_DEPTH_MAX) {
      this.isTooDeep = true;
      return this.#break();
    }
    this.#levels.push(isObject);
    this.isInObject = isObject;
    this.#allowed = isObject ? KEY | CLOSE : VALUE | CLOSE;
    this.end = at + 1;
    return isObject ? 'object' : 'list';
  }

  #close(isObject: boolean, at: number): JsonToken {
    if ((this.#allowed & CLOSE) === 0 || this.isInObject !== isObject) return this.#break();
    this.#levels.pop();
    this.isInObject = this.#levels[this.#levels.length - 1] === true;
    this.#endValue(at + 1);
    return 'close';
  }

  #endValue(end: number): void {
    this.end = end;
    this.#allowed = this.#levels.length === 0 ? NOTHING : COMMA_NEXT | CLOSE;
  }

  #break(): 'broken' {
    this.#allowed = NOTHING;
    this.#isBroken = true;
    this.end = this.start;
    return 'broken';
  }
}

/** The position of the closing quote of the string that opens at `from`; -1 where the text ends before it. */
export function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}
