import { posix } from 'node:path';
import type { SourceFile } from './source-file.ts';
import { closingOf, type Token } from './tokens.ts';

export interface Import {
  readonly from: string;
  readonly line: number;
  /** Undefined: everything (a namespace, or a dynamic import). */
  readonly names: readonly string[] | undefined;
  readonly isDynamic: boolean;
  readonly isReExport: boolean;
  /** `import type`: nothing of it is left when the code runs. */
  readonly isType: boolean;
}

export interface Export {
  readonly name: string;
  readonly line: number;
  readonly isType?: boolean;
}

const DECLARATIONS = new Set(['const', 'let', 'var', 'function', 'class', 'interface', 'type', 'enum', 'namespace']);

function is(token: Token | undefined, text: string): boolean {
  return token?.text === text && (token.kind === 'mark' || token.kind === 'word');
}

/** The names between braces: `{ a, type b, c as d }`, as they are called on the far side and here. */
function listedNames(code: readonly Token[], open: number): Array<{ far: string; near: string; line: number }> {
  const names: Array<{ far: string; near: string; line: number }> = [];
  let words: Token[] = [];
  for (let at = open + 1; at <= closingOf(code, open); at += 1) {
    const token = code[at];
    if (token && token.kind === 'word') words.push(token);
    if (!is(token, ',') && !is(token, '}')) continue;
    const kept = words.length > 1 && words[0]?.text === 'type' && words[1]?.text !== 'as' ? words.slice(1) : words;
    const [first] = kept;
    const last = kept.at(-1);
    if (first && last) names.push({ far: first.text, near: last.text, line: first.line });
    words = [];
  }
  return names;
}

/** Reads one import or export statement that may name a module; `at` is the keyword. */
function readStatement(code: readonly Token[], at: number): Import | undefined {
  const keyword = code[at];
  if (!keyword) return undefined;
  const isReExport = keyword.text === 'export';
  const isType = is(code[at + 1], 'type') && !is(code[at + 2], 'from') && !is(code[at + 2], ',');
  const names: string[] = [];
  let takesAll = false;
  let place = at + 1;
  if (code[place]?.kind === 'text' && !isReExport) {
    return { from: code[place]?.text ?? '', line: keyword.line, names: [], isDynamic: false, isReExport, isType };
  }
  for (; place < code.length; place += 1) {
    const token = code[place];
    if (is(token, '{')) {
      names.push(...listedNames(code, place).map(({ far }) => far));
      place = closingOf(code, place);
    } else if (is(token, '*')) takesAll = true;
    else if (is(token, 'from') && code[place + 1]?.kind === 'text') {
      const from = code[place + 1]?.text ?? '';
      return { from, line: keyword.line, names: takesAll ? undefined : names, isDynamic: false, isReExport, isType };
    } else if (token?.kind === 'word' && !isReExport && !['type', 'as'].includes(token.text)) names.push('default');
    else if (isReExport && token?.kind === 'word' && DECLARATIONS.has(token.text) && token.text !== 'type')
      return undefined;
    else if (is(token, ';') || is(token, '=') || is(token, '(')) return undefined;
  }
  return undefined;
}

const known = new WeakMap<SourceFile, readonly Import[]>();

export function importsOf(file: SourceFile): readonly Import[] {
  const imports = known.get(file) ?? readImports(file);
  known.set(file, imports);
  return imports;
}

function readImports({ code }: SourceFile): Import[] {
  const imports: Import[] = [];
  code.forEach((token, at) => {
    if (token.kind !== 'word' || is(code[at - 1], '.')) return;
    const next = code[at + 1];
    if (token.text === 'import' && is(next, '(')) {
      const from = code[at + 2];
      if (from?.kind === 'text') {
        const dynamic = { names: undefined, isDynamic: true, isReExport: false, isType: false };
        imports.push({ from: from.text, line: token.line, ...dynamic });
      }
    } else if (token.text === 'import' && is(next, '.')) return;
    else if (token.text === 'import' || token.text === 'export') {
      const found = readStatement(code, at);
      if (found) imports.push(found);
    }
  });
  return imports;
}

export function exportsOf({ code }: SourceFile): Export[] {
  const exports: Export[] = [];
  code.forEach((token, at) => {
    if (!is(token, 'export') || is(code[at - 1], '.')) return;
    let place = at + 1;
    if (is(code[place], 'type') && is(code[place + 1], '{')) place += 1;
    if (is(code[place], '{')) {
      exports.push(...listedNames(code, place).map(({ near, line }) => ({ name: near, line })));
      return;
    }
    if (is(code[place], 'default')) exports.push({ name: 'default', line: token.line });
    while (['async', 'abstract', 'declare'].includes(code[place]?.text ?? '')) place += 1;
    if (!DECLARATIONS.has(code[place]?.text ?? '')) return;
    const keyword = code[place]?.text;
    place += 1;
    if (is(code[place], '*')) place += 1;
    if (is(code[place], '{')) exports.push(...listedNames(code, place).map(({ near, line }) => ({ name: near, line })));
    else if (code[place]?.kind === 'word' && !(keyword === 'const' && is(code[place], 'enum'))) {
      const isType = keyword === 'type' || keyword === 'interface';
      exports.push({ name: code[place]?.text ?? '', line: code[place]?.line ?? 0, isType });
    }
  });
  return exports;
}

/** The target of a relative import, as a path of the project; undefined for packages and node: modules. */
export function targetOf(file: { readonly path: string }, from: string): string | undefined {
  return from.startsWith('.') ? posix.join(posix.dirname(file.path), from) : undefined;
}

/** Paths reachable from the starts by any kind of import, the starts included. */
export function reachableFrom(starts: readonly string[], files: readonly SourceFile[]): Set<string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const waiting = [...starts];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const file = byPath.get(path);
    if (!file || reached.has(path)) continue;
    reached.add(path);
    for (const { from } of importsOf(file)) {
      const target = targetOf(file, from);
      if (target) waiting.push(target);
    }
  }
  return reached;
}
