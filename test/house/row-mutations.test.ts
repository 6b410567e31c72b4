import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import { mutationsOf, PROTOCOLS, pageOf, readMutations, rowsOf } from '../../scripts/rows/read-rows.mjs';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { readText } from './source-file.ts';

type Read = (path: string) => string | undefined;

interface Mutation {
  readonly row: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

function wrongMutation({ file, from, to }: Mutation, read: Read): string | undefined {
  if (!/^src\/.*\.ts$/.test(file) || file.endsWith('.test.ts'))
    return `${file}: a mutation breaks a source file of src/`;
  const text = read(file);
  if (text === undefined) return `${file} is not there`;
  const count = from === '' ? 0 : text.split(from).length - 1;
  if (count !== 1) return `"from" stands ${count} times in ${file}: name a text that stands once`;
  if (from === to) return '"to" is the same as "from"';
  try {
    stripTypeScriptTypes(text.replace(from, () => to));
  } catch (error) {
    return `${file} does not parse with it: ${error instanceof Error ? error.message.trim() : error}`;
  }
  return undefined;
}

function mutationFindings(protocol: string, read: Read = readText): Finding[] {
  const file = mutationsOf(protocol);
  const text = read(file) ?? '';
  const { mutations } = readMutations(text);
  const finding = (what: string, of = '') => ({
    file,
    line: 1 + text.split('\n').findIndex((line) => line.includes(of)),
    what,
  });
  const held = new Set(rowsOf(protocol, read).map(({ id }) => id));
  const seen = new Set<string>();
  const wrong = mutations.flatMap((mutation) => {
    const { row } = mutation;
    const found = [wrongMutation(mutation, read)];
    if (!held.has(row)) found.push(`no row of ${pageOf(protocol)} that tests hold`);
    if (seen.has(row)) found.push('it has a mutation already');
    seen.add(row);
    return found.flatMap((what) => (what ? [finding(`${row}: ${what}`, `row: ${row}`)] : []));
  });
  const missing = [...held].filter((row) => !seen.has(row));
  return missing.length === 0 ? wrong : [...wrong, finding(`write a mutation for ${missing.join(', ')}`)];
}

for (const protocol of PROTOCOLS) {
  test(`each row of ${protocol} that tests hold has one mutation, which fits its file`, () => {
    assertNone(mutationFindings(protocol));
  });
}

test('planted: mutations that are missing, double, of no row or do not fit are found', () => {
  const page =
    '## Rules\n- **A-1**: It MUST.\n  - held by `src/a.test.ts` › `x`\n- **A-2**: It MUST.\n  - judged by `x` › `y`';
  const planted = (...lines: string[]) =>
    mutationFindings('a', (path) => {
      if (path === 'src/a.ts') return 'const a = 1;\nconst b = 1;\n';
      return path === pageOf('a') ? page : path === mutationsOf('a') ? lines.join('\n') : undefined;
    });
  const entry = (row: string, from: string, to: string, file = 'src/a.ts') =>
    `- { row: ${row}, file: ${file}, from: ${JSON.stringify(from)}, to: ${JSON.stringify(to)} }`;
  const right = entry('A-1', 'a = 1', 'a = 2');
  assertNone(planted('mutations:', right));
  assertFound(planted('', 'mutations: []'), 1, /write a mutation for A-1/);
  assertFound(planted('mutations:', right, right), 2, /already/);
  assertFound(planted('mutations:', right, entry('A-2', 'a = 1', 'a = 2')), 3, /A-2: no row/);
  const wrong = (...parts: Parameters<typeof entry>) => planted('mutations:', entry(...parts));
  assertFound(wrong('A-1', '= 1', '= 2'), 2, /stands 2 times/);
  assertFound(wrong('A-1', 'c = 1', 'c = 2'), 2, /stands 0 times/);
  assertFound(wrong('A-1', 'a = 1', 'a = 1'), 2, /the same/);
  assertFound(wrong('A-1', 'a = 1', 'a = ('), 2, /does not parse/);
  assertFound(wrong('A-1', 'a = 1', 'a = 2', 'src/a.test.ts'), 2, /source file/);
  assertFound(wrong('A-1', 'a = 1', 'a = 2', 'src/b.ts'), 2, /is not there/);
});
