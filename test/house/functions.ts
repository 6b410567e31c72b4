import { closingOf, type Token } from './tokens.ts';

export interface MeasuredFunction {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
  readonly parameters: number;
}

const NOT_METHODS = new Set(['if', 'for', 'while', 'switch', 'catch', 'with', 'await', 'return', 'typeof', 'import']);
/** A brace after one of these opens a type or a value, not a body. */
const BEFORE_TYPE_LITERAL = new Set([
  ':',
  '|',
  '&',
  '<',
  ',',
  '(',
  '[',
  '=>',
  '=',
  'extends',
  'is',
  'keyof',
  'readonly',
]);

function is(token: Token | undefined, text: string): boolean {
  return token?.text === text && (token.kind === 'mark' || token.kind === 'word');
}

/** Non-empty parts between commas outside of any bracket, `<>` included. */
function countParameters(code: readonly Token[], open: number, close: number): number {
  let depth = 0;
  let count = 0;
  let isEmpty = true;
  for (let at = open + 1; at < close; at += 1) {
    const token = code[at];
    const mark = token?.kind === 'mark' ? token.text : '';
    if ('([{<'.includes(mark) && mark !== '') depth += 1;
    if (')]}>'.includes(mark) && mark !== '') depth -= 1;
    if (mark === ',' && depth === 0) {
      count += isEmpty ? 0 : 1;
      isEmpty = true;
    } else isEmpty = false;
  }
  return count + (isEmpty ? 0 : 1);
}

/** After the `)` of parameters: where the body starts, and whether an arrow leads to it. */
function bodyAfter(code: readonly Token[], close: number): { at: number; isArrow: boolean } | undefined {
  let at = close + 1;
  if (is(code[at], '{')) return { at, isArrow: false };
  if (is(code[at], '=>')) return { at: at + 1, isArrow: true };
  if (!is(code[at], ':')) return undefined;
  for (at += 1; at < code.length; at += 1) {
    const token = code[at];
    if (token?.kind === 'text' || token?.kind === 'word') continue;
    if (is(token, '{') && !BEFORE_TYPE_LITERAL.has(code[at - 1]?.text ?? '')) return { at, isArrow: false };
    if (is(token, '=>')) {
      // An arrow after a bracket at the start of the type belongs to a function type, otherwise to us.
      if (is(code[at - 1], ')') && is(code[close + 2], '(')) continue;
      return { at: at + 1, isArrow: true };
    }
    if (is(token, '{') || is(token, '(') || is(token, '[')) at = closingOf(code, at);
    else if ([';', ',', '=', ')', '}', ']', '?', '+'].includes(token?.text ?? '')) return undefined;
  }
  return undefined;
}

/** The last token of an arrow's expression. */
function expressionEnd(code: readonly Token[], start: number): number {
  for (let at = start; at < code.length; at += 1) {
    const token = code[at];
    if (is(token, '(') || is(token, '[') || is(token, '{')) at = closingOf(code, at);
    else if (token?.kind === 'mark' && [')', ']', '}', ',', ';'].includes(token.text)) return at - 1;
  }
  return code.length - 1;
}

function nameBefore(code: readonly Token[], open: number): string {
  let at = open - 1;
  if (is(code[at], '>')) while (at > 0 && !is(code[at], '<')) at -= 1;
  if (is(code[at], '<')) at -= 1;
  while (at > 0 && (is(code[at], 'async') || is(code[at], '=') || is(code[at], ':'))) at -= 1;
  const token = code[at];
  return token?.kind === 'word' && token.text !== 'function' ? token.text : 'a function';
}

/** Functions, methods and arrows with brackets around their parameters. */
export function functionsOf(code: readonly Token[]): MeasuredFunction[] {
  const found: MeasuredFunction[] = [];
  code.forEach((token, open) => {
    if (!is(token, '(')) return;
    const before = code[open - 1];
    if (before?.kind === 'word' && NOT_METHODS.has(before.text) && !is(code[open - 2], '.')) return;
    const close = closingOf(code, open);
    const body = bodyAfter(code, close);
    if (!body) return;
    const end = is(code[body.at], '{') ? closingOf(code, body.at) : expressionEnd(code, body.at);
    const lines = (code[end]?.line ?? token.line) - token.line + 1;
    found.push({
      name: nameBefore(code, open),
      line: token.line,
      lines,
      parameters: countParameters(code, open, close),
    });
  });
  return found;
}
