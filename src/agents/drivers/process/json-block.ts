import { AOP_RESPONSE_BYTES_MAX, JSON_DEPTH_MAX } from '../../../domain/limits.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const SCALAR = /(?:true|false|null|-?[0-9][0-9.eE+-]*)/y;

/** What the grammar allows next. */
type Expected = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end';

export type BlockState =
  /** May go on in the next line. */
  | 'open'
  /** Ends with this line; whether it parses is for the parser to say. */
  | 'closed'
  /** No JSON, whatever follows, or more than an answer may have. */
  | 'broken';

/** A bracket that is open. */
interface Level {
  readonly closer: '}' | ']';
  /** The line that it stands in, counted from 0, and whether it is the first thing there. */
  readonly line: number;
  readonly isFirst: boolean;
  /** It has the marker of an AOP message, as a field of its own. */
  isAop: boolean;
}

/** A line of a block that came to nothing. */
export interface GivenUpLine {
  readonly text: string;
  /** It began an object of its own that came to nothing too; null where it is to be read anew. */
  readonly begun: { readonly isAop: boolean } | null;
}

/**
 * Lines that may together be one JSON object. Each character is looked at once, so that it costs as much to print an
 * answer over ten thousand lines as on one.
 */
export class JsonBlock {
  readonly #lines: string[] = [];
  readonly #levels: Level[] = [];
  #root: Level | null = null;
  #expected: Expected = 'value';
  #state: BlockState = 'open';
  #characters = 0;
  /** The next token is the first of its line. */
  #isLineNew = true;

  /** True for a line that an object may begin with. */
  static mayBegin(text: string): boolean {
    return text.startsWith('{') || /^[ \t]*\{/.test(text);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  /** What breaks an object breaks every one that is open inside of it, so none of these is worth another look. */
  giveUp(): GivenUpLine[] {
    const begun = new Map(this.#levels.filter(({ isFirst }) => isFirst).map((level) => [level.line, level]));
    if (this.#root) begun.set(0, this.#root);
    return this.#lines.map((text, line) => ({ text, begun: begun.get(line) ?? null }));
  }

  take(text: string): BlockState {
    this.#lines.push(text);
    this.#characters += text.length + 1;
    this.#isLineNew = true;
    for (let at = 0; at < text.length && this.#state !== 'broken'; ) at = this.#takeToken(text, at);
    const isTooLong = this.#lines.length > 1 && this.#characters - 1 > AOP_RESPONSE_BYTES_MAX;
    if (isTooLong && this.#state === 'open') this.#state = 'broken';
    return this.#state;
  }

  /** Where the next token begins. */
  #takeToken(text: string, at: number): number {
    const c = text.charCodeAt(at);
    if (c === 32 || c === 9 || c === 13) return at + 1;
    if (this.#state === 'closed') return this.#break(text);
    if (c === QUOTE) return this.#takeString(text, at);
    switch (text[at]) {
      case '{':
        return this.#open('}', at);
      case '[':
        return this.#open(']', at);
      case '}':
      case ']':
        return this.#close(text, at);
      case ':':
        return this.#step(this.#expected === 'colon', 'value', at);
      case ',':
        return this.#step(this.#expected === 'comma-or-end', this.#levels.at(-1)?.closer === '}' ? 'key' : 'value', at);
      default:
        return this.#takeScalar(text, at);
    }
  }

  #takeString(text: string, at: number): number {
    const end = endOfString(text, at);
    const isKey = this.#expected === 'key' || this.#expected === 'key-or-end';
    const level = this.#levels.at(-1);
    if (isKey && level) level.isAop ||= isMarker(text.slice(at + 1, end === -1 ? undefined : end), end === -1);
    // No string goes on in the next line: the line was cut, or is no JSON.
    if (end === -1) return this.#break(text);
    if (isKey) return this.#step(true, 'colon', end);
    return this.#step(this.#expectsValue(), 'comma-or-end', end);
  }

  #takeScalar(text: string, at: number): number {
    SCALAR.lastIndex = at;
    const length = SCALAR.exec(text)?.[0].length ?? 0;
    return this.#step(length > 0 && this.#expectsValue(), 'comma-or-end', at + length - 1);
  }

  #open(closer: Level['closer'], at: number): number {
    const isAllowed = this.#expectsValue() && this.#levels.length < JSON_DEPTH_MAX;
    if (isAllowed) {
      this.#levels.push({ closer, line: this.#lines.length - 1, isFirst: this.#isLineNew, isAop: false });
      this.#root ??= this.#levels[0] ?? null;
    }
    return this.#step(isAllowed, closer === '}' ? 'key-or-end' : 'value-or-end', at);
  }

  #close(text: string, at: number): number {
    const mayEnd = this.#expected.endsWith('-or-end') && this.#levels.at(-1)?.closer === text[at];
    const next = this.#step(mayEnd, 'comma-or-end', at);
    if (mayEnd) this.#levels.pop();
    if (this.#levels.length === 0) this.#state = 'closed';
    return next;
  }

  #expectsValue(): boolean {
    return this.#expected === 'value' || this.#expected === 'value-or-end';
  }

  #step(isAllowed: boolean, expected: Expected, at: number): number {
    if (!isAllowed) this.#state = 'broken';
    this.#expected = expected;
    this.#isLineNew = false;
    return at + 1;
  }

  #break(text: string): number {
    this.#state = 'broken';
    return text.length;
  }
}

/** A name that was cut may have been it. */
function isMarker(name: string, isCut: boolean): boolean {
  return isCut ? name.startsWith('aop_') : name === 'aop_version';
}

/** The place of the closing quote; -1 where the line ends before it. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end !== -1) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}
