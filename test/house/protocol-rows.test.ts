import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { rowsUnder } from './markdown.ts';
import { readText } from './source-file.ts';

const PROTOCOLS = ['aop', 'afp', 'aof', 'saop', 'runtime'];
const COUNT = 'test/house/not-built-yet.json';
const OPEN = 'not built yet';

type Page = readonly [path: string, text: string];
type Read = (path: string) => string | undefined;

/** Whether a test file has a test of that name: as it stands, or as a template with its substitutions filled in. */
function hasTest(text: string, name: string): boolean {
  if (text.replaceAll("\\'", "'").includes(name)) return true;
  return [...text.matchAll(/`([^`]*\$\{[^`]*)`/g)].some(([, template = '']) => {
    const parts = template.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^$()|[\]\\{}]/g, '\\$&'));
    return parts.join('').length > 0 && new RegExp(`^${parts.join('.+')}$`).test(name);
  });
}

function wrongHolder(cell: string, read: Read): string | undefined {
  const holders = [...cell.matchAll(/`([^`]+)` › `([^`]+)`/g)];
  const isJudged = cell.startsWith('judged by ');
  if (!(isJudged || cell.startsWith('held by ')) || holders.length === 0) {
    return `"${cell}": write "held by \`file.test.ts\` › \`test name\`", "judged by …" or "${OPEN}"`;
  }
  // The corpus decodes messages: it shows what Baton accepts, not what it does.
  const onlyJudges = holders.every(([, file = '']) => file.startsWith('test/corpus/'));
  if (onlyJudges !== isJudged)
    return onlyJudges ? 'its tests only judge messages: write "judged by"' : 'write "held by"';
  for (const [, file = '', name = ''] of holders) {
    const text = file.endsWith('.test.ts') ? read(file) : undefined;
    if (text === undefined) return `${file} is no test file: name the one that holds this`;
    if (!hasTest(text, name)) return `${file} has no test named "${name}"`;
  }
  return undefined;
}

function rowFindings([page, text]: Page, read: Read = readText): Finding[] {
  const rows = rowsUnder(text, 'ID');
  if (rows.length === 0)
    return [{ file: page, line: 1, what: 'has no table | ID | MUST | held by |: give each MUST a row' }];
  const seen = new Set<string>();
  return rows.flatMap(({ line, cells }) => {
    const [id = '', sentence = ''] = cells;
    const last = cells.at(-1) ?? '';
    const wrong: string[] = [];
    if (cells.length !== 3 || id === '' || sentence === '') wrong.push('a row is | ID | MUST sentence | held by … |');
    if (seen.has(id)) wrong.push(`${id} has a row already: ids are unique`);
    seen.add(id);
    const holder = last === OPEN ? undefined : wrongHolder(last, read);
    return [...wrong, ...(holder ? [holder] : [])].map((what) => ({ file: page, line, what }));
  });
}

function countOpen(pages: readonly Page[]): number {
  return pages.flatMap(([, text]) => rowsUnder(text, 'ID')).filter(({ cells }) => cells.at(-1) === OPEN).length;
}

function countFindings(open: number, stored: number | undefined): Finding[] {
  const finding = (what: string) => [{ file: COUNT, line: 1, what }];
  if (stored === undefined) return finding(`write {"notBuiltYet": ${open}} into it`);
  if (open > stored)
    return finding(`${open} rows say ${OPEN}, at most ${stored} may: build what was added, the number only falls`);
  if (open < stored) return finding(`only ${open} rows say ${OPEN}: lower the stored ${stored} to ${open}`);
  return [];
}

const pages = PROTOCOLS.map((name) => `docs/protocols/${name}.md`).flatMap((path) => {
  const text = readText(path);
  return text === undefined ? [] : [[path, text] as const];
});

for (const name of PROTOCOLS) {
  const page = pages.find(([path]) => path.endsWith(`/${name}.md`));
  test(`each MUST of ${name} names the test that holds it`, {
    skip: page ? false : `docs/protocols/${name}.md is not written yet`,
  }, () => {
    if (page) assertNone(rowFindings(page));
  });
}

test('the number of rows that are not built yet only falls', {
  skip: pages.length > 0 ? false : 'docs/protocols is not written yet',
}, () => {
  const stored: { notBuiltYet?: number } = JSON.parse(readText(COUNT) ?? '{}');
  assertNone(countFindings(countOpen(pages), stored.notBuiltYet));
});

test('planted: rows without a holder, a file, a test or an id of their own are found', () => {
  const read: Read = (path) => (path === 'src/a.test.ts' ? "test('a task moves', () => {});" : undefined);
  const planted = (...rows: string[]) =>
    rowFindings(['p.md', ['| ID | MUST | Held |', '|---|---|---|', ...rows].join('\n')], read);
  assertNone(
    planted(
      '| A-1 | It MUST a \\| b. | held by `src/a.test.ts` › `a task moves` |',
      '| A-2 | It MUST. | not built yet |',
    ),
  );
  assert.ok(hasTest('test(`§{name}: a row (1)`, () => {});'.replace('§', '$'), 'aop: a row (1)'));
  assertFound(planted('| A-1 | It MUST. | soon |'), 3, /write "held by/);
  assertFound(planted('| A-1 | It MUST. | held by `test/corpus/c.test.ts` › `a row` |'), 3, /write "judged by"/);
  assertFound(planted('| A-1 | It MUST. | judged by `src/a.test.ts` › `a task moves` |'), 3, /write "held by"/);
  assertFound(planted('| A-1 | It MUST. | held by `src/b.test.ts` › `a task moves` |'), 3, /no test file/);
  assertFound(planted('| A-1 | It MUST. | held by `src/a.test.ts` › `a run moves` |'), 3, /no test named/);
  assertFound(planted('| A-1 | It MUST. | not built yet |', '| A-1 | It MUST. | not built yet |'), 4, /unique/);
  assertFound(rowFindings(['p.md', 'no table']), 1, /no table/);
});

test('planted: a number that is too low, too high or missing is found', () => {
  assertNone(countFindings(3, 3));
  assertFound(countFindings(4, 3), 1, /only falls/);
  assertFound(countFindings(2, 3), 1, /lower the stored 3 to 2/);
  assertFound(countFindings(2, undefined), 1, /write/);
});
