import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { rulesOf } from './markdown.ts';
import { readText } from './source-file.ts';

const PROTOCOLS = ['aop', 'afp', 'aof', 'saop', 'runtime'];
const COUNT = 'test/house/not-built-yet.json';
const OPEN = 'not built yet';
const FORM = 'a rule is "- **ID**: MUST sentence", and below it one "  - held by …"';

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
  const { rules, strayLines } = rulesOf(text);
  if (rules.length === 0)
    return [{ file: page, line: 1, what: 'has no list of rules below "## Rules": give each MUST an item' }];
  const seen = new Set<string>();
  const strays = strayLines.map((line) => ({ file: page, line, what: `belongs to no rule: ${FORM}` }));
  const wrongRules = rules.flatMap(({ line, id, sentence, states }) => {
    const [state = ''] = states;
    const wrong: string[] = [];
    if (states.length !== 1 || id === '' || sentence === '') wrong.push(FORM);
    if (seen.has(id)) wrong.push(`${id} has an item already: ids are unique`);
    seen.add(id);
    const holder = state === OPEN ? undefined : wrongHolder(state, read);
    return [...wrong, ...(holder ? [holder] : [])].map((what) => ({ file: page, line, what }));
  });
  return [...strays, ...wrongRules];
}

function countOpen(pages: readonly Page[]): number {
  return pages.flatMap(([, text]) => rulesOf(text).rules).filter(({ states }) => states.at(-1) === OPEN).length;
}

function countFindings(open: number, stored: number | undefined): Finding[] {
  const finding = (what: string) => [{ file: COUNT, line: 1, what }];
  if (stored === undefined) return finding(`write {"notBuiltYet": ${open}} into it`);
  if (open > stored)
    return finding(`${open} rules say ${OPEN}, at most ${stored} may: build what was added, the number only falls`);
  if (open < stored) return finding(`only ${open} rules say ${OPEN}: lower the stored ${stored} to ${open}`);
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

test('the number of rules that are not built yet only falls', {
  skip: pages.length > 0 ? false : 'docs/protocols is not written yet',
}, () => {
  const stored: { notBuiltYet?: number } = JSON.parse(readText(COUNT) ?? '{}');
  assertNone(countFindings(countOpen(pages), stored.notBuiltYet));
});

test('planted: rules without a holder, a file, a test or an id of their own are found', () => {
  const read: Read = (path) => (path === 'src/a.test.ts' ? "test('a task moves', () => {});" : undefined);
  const planted = (...lines: string[]) => rowFindings(['p.md', ['## Rules', '', ...lines].join('\n')], read);
  const rule = (state: string) => planted('- **A-1**: It MUST.', `  - ${state}`);
  const held = '  - held by `src/a.test.ts` › `a task moves`';
  assertNone(
    planted('- **A-1**: It MUST', '  a | b.', held, '- **A-2**: It MUST.', '  - not built yet', '', '## Next', 'x'),
  );
  assertNone(
    planted(
      '- **A-1**: It MUST.',
      '  - held by `src/a.test.ts` ›',
      '    `a task moves`,',
      '    `src/a.test.ts` › `task`',
    ),
  );
  assert.ok(hasTest('test(`§{name}: a row (1)`, () => {});'.replace('§', '$'), 'aop: a row (1)'));
  assertFound(rule('soon'), 3, /write "held by/);
  assertFound(rule('held by `test/corpus/c.test.ts` › `a row`'), 3, /write "judged by"/);
  assertFound(rule('judged by `src/a.test.ts` › `a task moves`'), 3, /write "held by"/);
  assertFound(rule('held by `src/b.test.ts` › `a task moves`'), 3, /no test file/);
  assertFound(rule('held by `src/a.test.ts` › `a run moves`'), 3, /no test named/);
  assertFound(planted('- **A-1**: It MUST.', held.trimEnd(), '    `src/b.test.ts` › `a`'), 3, /no test file/);
  assertFound(planted('- **A-1**: It MUST.', held, '- **A-1**: It MUST.', held), 5, /unique/);
  for (const lines of [['- **A-1**: It MUST.'], ['- **A-1**: It MUST.', held, held], ['- **A-1**: ', held]]) {
    assertFound(planted(...lines), 3, /a rule is/);
  }
  for (const line of ['| A-2 | It MUST. | not built yet |', '- A-2: It MUST.', 'It MUST.', '  It MUST.']) {
    assertFound(planted('- **A-1**: It MUST.', held, line), 5, /belongs to no rule/);
  }
  assertFound(rowFindings(['p.md', 'no rules']), 1, /no list of rules/);
  assert.equal(countOpen([['p.md', '## Rules\n- **A-1**: It MUST.\n  - not built yet']]), 1);
});

test('planted: a number that is too low, too high or missing is found', () => {
  assertNone(countFindings(3, 3));
  assertFound(countFindings(4, 3), 1, /only falls/);
  assertFound(countFindings(2, 3), 1, /lower the stored 3 to 2/);
  assertFound(countFindings(2, undefined), 1, /write/);
});
