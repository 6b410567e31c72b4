import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { projectPaths, readText, sourceFile } from './source-file.ts';

const PAGES = ['common', 'aop', 'afp', 'aof', 'saop', 'runtime'];
const RULING = /\b(?:common|aop|afp|aof|saop|runtime):[a-z][a-z0-9-]*/g;
const SECTION = /\b(AOP|AFP|SAOP|Runtime) (§\d+(?:\.\d+)*)/g;
/** Documents that are not in this repository, and their numbering. */
const OUTSIDE =
  /\b[DP]-[A-Z]\d+|\bdecisions(?:\.md)? §|(?<![\w-])(?:reliability|product|ecosystem|dashboard|strangers|house|dependencies)\.md/g;

interface Page {
  readonly path: string;
  readonly text: string;
}

const pages: ReadonlyMap<string, string> = new Map(
  PAGES.map((name) => [name, readText(`docs/protocols/${name}.md`) ?? '']),
);
const rulings = new Set(
  [...pages.values()].flatMap((text) => [...text.matchAll(/^- `([a-z]+:[a-z0-9-]+)`: /gm)].map(([, id = '']) => id)),
);

function isRead(path: string): boolean {
  return /^(src|test|bench|scripts|docs|dashboard)\/.*\.(ts|mjs|md|json)$|^[A-Z]+\.md$/.test(path);
}

/** Comments of code, and the whole of a test, a page or a list of data. Strings in src are data of users. */
function citing({ path, text }: Page): string {
  if (!path.startsWith('src/') || path.endsWith('.test.ts')) return text;
  const lines: string[] = [];
  for (const { text: comment, line } of sourceFile(path, text).comments) {
    for (const [at, each] of comment.split('\n').entries()) lines[line - 1 + at] = each;
  }
  return Array.from(lines, (line) => line ?? '').join('\n');
}

function findEach(page: Page, pattern: RegExp, judge: (match: RegExpExecArray) => string | undefined): Finding[] {
  return citing(page)
    .split('\n')
    .flatMap((content, at) =>
      [...content.matchAll(pattern)].flatMap((match) => {
        const what = judge(match);
        return what ? [{ file: page.path, line: at + 1, what }] : [];
      }),
    );
}

function rulingFindings(page: Page): Finding[] {
  return findEach(page, RULING, ([id]) =>
    rulings.has(id)
      ? undefined
      : `cites ${id}, which no page of docs/protocols has: write the ruling or correct the id`,
  );
}

function sectionFindings(page: Page): Finding[] {
  return findEach(page, SECTION, ([, protocol = '', section = '']) =>
    new RegExp(`${section}(?![\\d.]*\\d)`).test(pages.get(protocol.toLowerCase()) ?? '')
      ? undefined
      : `cites ${protocol} ${section}, which docs/protocols/${protocol.toLowerCase()}.md does not mention`,
  );
}

function outsideFindings(page: Page): Finding[] {
  return findEach(page, OUTSIDE, ([name]) => `cites ${name}, which is not in this repository: cite a ruling by its id`);
}

const self = 'test/house/citations.test.ts';
const read = projectPaths()
  .filter((path) => isRead(path) && path !== self)
  .map((path) => ({ path, text: readText(path) ?? '' }));

test('every ruling that is cited stands in docs/protocols', () => {
  assert.ok(rulings.size > 100, 'docs/protocols has its rulings as "- `page:id`: sentence"');
  assertNone(read.flatMap(rulingFindings));
});

test('every section of a protocol that is cited stands in its page', () => {
  assertNone(read.flatMap(sectionFindings));
});

test('nothing cites a document that is not in this repository', () => {
  assertNone(read.flatMap(outsideFindings));
});

test('planted: unknown rulings, unknown sections and documents from outside are found', () => {
  const page = (text: string): Page => ({ path: 'src/domain/a.ts', text });
  assertFound(rulingFindings(page('\n/** See aof:nothing-at-all. */')), 2, /aof:nothing-at-all/);
  assertFound(rulingFindings(page('/**\n * aop:timeout\n * aop:time-out\n */')), 3, /aop:time-out/);
  assertNone(rulingFindings(page("// aop:timeout\nconst value = 'aof:nothing-at-all';")));
  assertFound(sectionFindings(page('// AOP §99.1')), 1, /AOP §99.1/);
  assertNone(sectionFindings(page('// AOP §11.1, SAOP §2')));
  for (const name of ['D-A10', 'decisions §1', 'reliability.md', 'P-D11']) {
    assertFound(outsideFindings(page(`// ${name}`)), 1, /not in this repository/);
  }
});
