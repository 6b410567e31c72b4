import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isTest, ROOT, type SourceFile, sourceFiles } from './source-file.ts';
import type { Token } from './tokens.ts';

/** A regular expression of the source. */
export interface Expression {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** Every expression of src and dashboard: literals, and those that are built when their module is loaded. */
export function allExpressions(): readonly Expression[] {
  const files = sourceFiles('src', 'dashboard').filter((file) => !isTest(file));
  return [...files.flatMap(literals), ...builtExpressions(files)];
}

export function literals({ path, code }: SourceFile): Expression[] {
  return code.flatMap((token, at) => {
    const [, source, flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(token.text) ?? [];
    // `</b> … </b>` looks like one to the tokenizer.
    if (token.kind !== 'regex' || source === undefined || isMark(code[at - 1], '<')) return [];
    return [{ file: path, line: token.line, source, flags }];
  });
}

/** Lines with `new RegExp(`. */
export function constructions({ path, code }: SourceFile): readonly Pick<Expression, 'file' | 'line'>[] {
  return code
    .filter((token, at) => token.text === 'RegExp' && token.kind === 'word' && isMark(code[at + 1], '('))
    .map(({ line }) => ({ file: path, line }));
}

/** Loads the modules in a process of its own, where nothing else has loaded them. */
function builtExpressions(files: readonly SourceFile[]): readonly Expression[] {
  const paths = files.filter((file) => constructions(file).length > 0).map(({ path }) => path);
  const program = fileURLToPath(new URL('./print-built-expressions.ts', import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [program, ...paths], { cwd: ROOT, encoding: 'utf8' }));
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}
