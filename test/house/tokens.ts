// A tokenizer for TypeScript, as far as the house rules need one: it tells code from comments, strings and regular
// expressions, and knows the line of each token.

export type TokenKind = 'word' | 'text' | 'number' | 'regex' | 'mark' | 'comment';

export interface Token {
  readonly kind: TokenKind;
  /** A text token carries what stands between its quotes; a template only its first part. */
  readonly text: string;
  readonly line: number;
}

const PATTERNS: ReadonlyArray<readonly [TokenKind | 'space', RegExp]> = [
  ['space', /\s+/y],
  ['comment', /\/\/[^\n]*|\/\*[\s\S]*?\*\/|^#![^\n]*/y],
  ['text', /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y],
  ['number', /\d[\w.]*/y],
  ['word', /[#@]?[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*/y],
];
const MARK = /=>|\.\.\.|\?\.|\?\?=?|[=!]==?|[<>]=|&&=?|\|\|=?|\*\*=?|\+\+|--|[+\-*/%&|^]=|[\s\S]/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const TEMPLATE_PART = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y;
const WORDS_BEFORE_REGEX = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'do',
  'else',
  'void',
  'throw',
  'await',
  'yield',
]);

function mayRegexFollow(previous: Token | undefined): boolean {
  if (!previous) return true;
  if (previous.kind === 'word') return WORDS_BEFORE_REGEX.has(previous.text);
  return previous.kind === 'mark' && ![')', ']', '}'].includes(previous.text);
}

class Scanner {
  readonly tokens: Token[] = [];
  readonly text: string;
  at = 0;
  line = 1;
  previous: Token | undefined;

  constructor(text: string) {
    this.text = text;
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0];
  }

  take(kind: TokenKind | 'space', raw: string, text = raw): void {
    if (kind !== 'space') {
      const token = { kind, text, line: this.line };
      this.tokens.push(token);
      if (kind !== 'comment') this.previous = token;
    }
    this.at += raw.length;
    for (const char of raw) if (char === '\n') this.line += 1;
  }

  /** From the backtick or the brace that ends a substitution, to the end of the template or its next substitution. */
  template(opening: string): boolean {
    this.at += opening.length;
    const part = this.match(TEMPLATE_PART) ?? '';
    this.take('text', part);
    const ends = this.text[this.at] !== '$';
    this.at += ends ? 1 : 2;
    return ends;
  }

  next(): void {
    for (const [kind, pattern] of PATTERNS) {
      const raw = this.match(pattern);
      if (raw) {
        this.take(kind, raw, kind === 'text' ? raw.slice(1, -1) : raw);
        return;
      }
    }
    const regex = this.text[this.at] === '/' && mayRegexFollow(this.previous) ? this.match(REGEX) : undefined;
    if (regex) this.take('regex', regex);
    else this.take('mark', this.match(MARK) ?? '');
  }
}

export function tokenize(text: string): Token[] {
  const scanner = new Scanner(text);
  /** Open braces; true stands for the `${` of a template. */
  const braces: boolean[] = [];
  while (scanner.at < text.length) {
    const char = text[scanner.at];
    if (char === '`') {
      if (!scanner.template('`')) braces.push(true);
    } else if (char === '}' && braces.at(-1) === true) {
      if (scanner.template('}')) braces.pop();
    } else {
      if (char === '{') braces.push(false);
      if (char === '}') braces.pop();
      scanner.next();
    }
  }
  return scanner.tokens;
}

const CLOSERS: Record<string, string> = { '(': ')', '[': ']', '{': '}' };

/** The place of the bracket that closes the one at `open`; the end where it is missing. */
export function closingOf(tokens: readonly Token[], open: number): number {
  const opener = tokens[open]?.text ?? '';
  const closer = CLOSERS[opener];
  let depth = 0;
  for (let at = open; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind !== 'mark') continue;
    if (token.text === opener) depth += 1;
    if (token.text === closer) depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length - 1;
}
