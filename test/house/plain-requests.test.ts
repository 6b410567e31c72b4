import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNone, type Finding } from './finding.ts';
import { importsOf, targetOf } from './modules.ts';
import { isTest, type SourceFile, sourceFile, sourceFiles } from './source-file.ts';
import type { Token } from './tokens.ts';

/** The brackets that a type nests in. */
const OPENING = ['<', '{', '(', '['];
const CLOSING = ['>', '}', ')', ']'];

/** The tokens of a type from a position on, to the first mark outside all brackets that ends it. */
function typeFrom(code: readonly Token[], at: number, ends: readonly string[]): readonly Token[] {
  let depth = 0;
  for (let place = at; place < code.length; place += 1) {
    const { kind, text } = code[place] ?? { kind: 'mark', text: '' };
    if (kind !== 'mark') continue;
    if (depth === 0 && ends.includes(text)) return code.slice(at, place);
    if (OPENING.includes(text)) depth += 1;
    if (CLOSING.includes(text)) depth -= 1;
    if (depth < 0) return code.slice(at, place);
  }
  return code.slice(at);
}

/** The requests of the commands that a file declares: the first argument of each `Command<…>`. */
function requestsIn({ code }: SourceFile): (readonly Token[])[] {
  return code.flatMap((token, at) =>
    token.text === 'Command' && code[at + 1]?.text === '<' ? [typeFrom(code, at + 2, [','])] : [],
  );
}

/** The tokens of a type that a file declares; undefined where it declares none of that name. */
function declared({ code }: SourceFile, name: string): readonly Token[] | undefined {
  const at = code.findIndex(({ text }, place) => {
    if (code[place + 1]?.text !== name) return false;
    // An import may say `type` before a name as well.
    return text === 'interface' || (text === 'type' && ['=', '<'].includes(code[place + 2]?.text ?? ''));
  });
  if (at === -1) return undefined;
  if (code[at]?.text === 'type') return typeFrom(code, at + 2, [';']);
  const open = code.findIndex(({ text }, place) => place > at && text === '{');
  return [...code.slice(at + 2, open), ...typeFrom(code, open + 1, [])];
}

/** A method, or a member whose type is a function or a command. */
function isFunction(type: readonly Token[], at: number): boolean {
  const { kind, text } = type[at] ?? { kind: 'mark', text: '' };
  const before = type[at - 1]?.text;
  if (text === '=>') return true;
  if (kind !== 'word' || before === '[') return false;
  if (text === 'Command') return true;
  const after = type[at + 1]?.text === '?' ? at + 2 : at + 1;
  return type[after]?.text === '(' && !NO_NAME.includes(text);
}

/** Words before a bracket that only groups a type. */
const NO_NAME = ['readonly', 'keyof', 'typeof', 'import', 'extends', 'infer'];

type Files = ReadonlyMap<string, SourceFile>;

/** The file that declares a name which a file uses: itself, or the one that it imports it from. */
function home(files: Files, file: SourceFile, name: string): SourceFile | undefined {
  if (declared(file, name)) return file;
  const found = importsOf(file).find(({ names }) => names?.includes(name));
  return found && files.get(targetOf(file, found.from) ?? '');
}

function functionIn(
  files: Files,
  { file, type }: { readonly file: SourceFile; readonly type: readonly Token[] },
  seen: Set<string>,
): Finding | undefined {
  const at = type.findIndex((_, place) => isFunction(type, place));
  if (at !== -1) {
    const what = `the request of a command has a function (${type[at]?.text}): hand in data, and let the command act`;
    return { file: file.path, line: type[at]?.line ?? 0, what };
  }
  for (const { kind, text: name } of type.filter((_, place) => type[place - 1]?.text !== 'typeof')) {
    const where = kind === 'word' && /^[A-Z]/.test(name) ? home(files, file, name) : undefined;
    const own = where && declared(where, name);
    if (!where || !own || seen.has(`${where.path} ${name}`)) continue;
    seen.add(`${where.path} ${name}`);
    const found = functionIn(files, { file: where, type: own }, seen);
    if (found) return found;
  }
  return undefined;
}

function findings(sources: readonly SourceFile[]): Finding[] {
  const files = new Map(sources.map((file) => [file.path, file]));
  const found = sources.flatMap((file) =>
    requestsIn(file).flatMap((type) => functionIn(files, { file, type }, new Set()) ?? []),
  );
  return [...new Map(found.map((finding) => [`${finding.file}:${finding.line}`, finding])).values()];
}

test('the request of a ledger command is data: no field is a function', () => {
  const sources = sourceFiles('src').filter((file) => !isTest(file));
  assert.ok(sources.flatMap(requestsIn).length > 100, 'the commands are found');
  assertNone(findings(sources));
});

test('a function in a request is found, also in a type of another file', () => {
  const other = sourceFile(
    'src/remote/other.ts',
    'export interface Posting {\n  readonly to: string;\n  post(tx: Tx): void;\n}',
  );
  const planted = (request: string) =>
    findings([
      other,
      sourceFile(
        'src/remote/planted.ts',
        `import type { Posting } from './other.ts';\nexport const send: Command<${request}, object> = () => ({});`,
      ),
    ]).length;
  assert.equal(planted('{ readonly posting: Posting }'), 1);
  assert.equal(planted('{ readonly tell: (tx: Tx) => void }'), 1);
  assert.equal(planted('{ tell?(tx: Tx): void }'), 1);
  assert.equal(planted('{ readonly begin: Command<object, object> }'), 1);
  assert.equal(planted('{ readonly all: readonly (string | number)[] }'), 0);
});
