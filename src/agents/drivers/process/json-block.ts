import { AOP_RESPONSE_BYTES_MAX } from '../../../domain/federation/message-limits.ts';
import { JsonScanner, type JsonToken } from '../../../protocols/json-scanner.ts';

export type BlockState =
  /** May continue in the next line. */
  | 'open'
  /** Ends with this line; JSON.parse decides whether it is valid. */
  | 'closed'
  /** Not JSON, whatever follows, or longer than an answer may be. */
  | 'broken';

/** An open bracket. */
interface Level {
  /** Its line, counted from 0, and whether it is the first token there. */
  readonly line: number;
  readonly isFirst: boolean;
  /** It has the marker of an AOP message as a field. */
  isAop: boolean;
}

/** A line of a block that is not JSON. */
export interface GivenUpLine {
  readonly text: string;
  /** It began an object of its own that broke too; null where the line must be read again. */
  readonly begun: { readonly isAop: boolean } | null;
  /** The block has more characters than an answer may have. */
  readonly isTooLong: boolean;
}

/**
 * Lines that may together be one JSON object. Each character is read once, so an answer over ten thousand lines costs as
 * much as one on a single line.
 */
export class JsonBlock {
  readonly #lines: string[] = [];
  readonly #levels: Level[] = [];
  readonly #scanner = new JsonScanner();
  #root: Level | null = null;
  #characters = 0;
  #isTooLong = false;
  readonly #charactersMax: number;

  constructor(charactersMax = AOP_RESPONSE_BYTES_MAX) {
    this.#charactersMax = charactersMax;
  }

  /** True for a line that may begin an object. */
  static mayBegin(text: string): boolean {
    return text.startsWith('{') || /^[ \t]*\{/.test(text);
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  /** Whatever breaks an object breaks every object that is open inside of it, so none of these is read again. */
  giveUp(): GivenUpLine[] {
    const begun = new Map(this.#levels.filter(({ isFirst }) => isFirst).map((level) => [level.line, level]));
    if (this.#root) begun.set(0, this.#root);
    return this.#lines.map((text, line) => ({ text, begun: begun.get(line) ?? null, isTooLong: this.#isTooLong }));
  }

  take(text: string): BlockState {
    this.#lines.push(text);
    this.#characters += text.length + 1;
    this.#scanner.feed(text);
    let isLineNew = true;
    for (let token = this.#scanner.next(); token !== 'end'; token = this.#scanner.next()) {
      if (!this.#takeToken(token, text, isLineNew)) return 'broken';
      isLineNew = false;
    }
    if (this.#scanner.isComplete) return 'closed';
    this.#isTooLong = this.#lines.length > 1 && this.#characters - 1 > this.#charactersMax;
    return this.#isTooLong ? 'broken' : 'open';
  }

  /** False where it breaks the object. */
  #takeToken(token: JsonToken, text: string, isFirst: boolean): boolean {
    const { start, end, isKeyNext } = this.#scanner;
    if (token === 'object' || token === 'list') {
      const isBegin = isFirst && text.slice(0, start).trim() === '';
      const level: Level = { line: this.#lines.length - 1, isFirst: isBegin, isAop: false };
      this.#root ??= level;
      this.#levels.push(level);
    } else if (token === 'close') this.#levels.pop();
    else if (token === 'key') this.#noteMarker(text.slice(start + 1, end - 1) === 'aop_version');
    // A line that was cut inside of a name may have been cut inside of the marker.
    else if (token === 'cut' && isKeyNext) this.#noteMarker(text.startsWith('aop_', start + 1));
    // No string continues in the next line.
    return token !== 'broken' && token !== 'cut';
  }

  #noteMarker(isMarker: boolean): void {
    const level = this.#levels.at(-1);
    if (level && isMarker) level.isAop = true;
  }
}
