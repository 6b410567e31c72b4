import { posix } from 'node:path';
import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { anchorsOf, proseLines } from './markdown.ts';
import { projectPaths, readText } from './source-file.ts';

const LINE_CHARACTERS_MAX = 160;
/** Pages whose long lines are still to be cut. */
const LONG_PAGES = ['README.md', 'ARCHITECTURE.md'];

type Page = readonly [path: string, text: string];

const paths = projectPaths();
const folders = new Set(paths.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))));
const pages: Page[] = paths
  .filter((path) => path.endsWith('.md') && !/^test\/(corpus|fixtures)\//.test(path))
  .map((path) => [path, readText(path) ?? '']);

function exists(path: string): boolean {
  return paths.includes(path) || folders.has(path.replace(/\/$/, ''));
}

function brokenLink([page, text]: Page, link: string, read = readText): string | undefined {
  const [target = '', anchor = ''] = link.split('#');
  const path = target === '' ? page : posix.normalize(posix.join(posix.dirname(page), decodeURIComponent(target)));
  if (target !== '' && !exists(path)) return `${link} leads nowhere: there is no ${path}`;
  if (anchor === '' || !path.endsWith('.md')) return undefined;
  const far = path === page ? text : (read(path) ?? '');
  return anchorsOf(far).has(anchor) ? undefined : `${link} leads nowhere: ${path} has no heading #${anchor}`;
}

function linkFindings(all: readonly Page[]): Finding[] {
  return all.flatMap((page) =>
    proseLines(page[1]).flatMap((content, at) =>
      [...content.replace(/`[^`]*`/g, '').matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)/g)].flatMap(([, link = '']) => {
        const what = /^[a-z]+:/i.test(link) ? undefined : brokenLink(page, link);
        return what ? [{ file: page[0], line: at + 1, what }] : [];
      }),
    ),
  );
}

/** Paths in backticks must exist; what is to come stands in a section or on a line that says planned. */
function claimFindings([page, text]: Page): Finding[] {
  let isPlanned = false;
  return proseLines(text).flatMap((content, at) => {
    if (content.startsWith('#')) isPlanned = /planned/i.test(content);
    if (isPlanned || /planned/i.test(content)) return [];
    const named = [...content.matchAll(/`((?:src|test|docs|bin|scripts|bench|examples|dashboard|spec)\/[\w./-]*)`/g)];
    return named.flatMap(([, path = '']) => {
      if (exists(path)) return [];
      return [{ file: page, line: at + 1, what: `names ${path}, which is not there: correct it, or say planned` }];
    });
  });
}

/** A cell that is a paragraph makes such a line: a list, or a sentence below the table, has room for it. */
function lengthFindings([page, text]: Page): Finding[] {
  return text.split('\n').flatMap((content, at) => {
    const { length } = [...content];
    const what = `has ${length} characters, at most ${LINE_CHARACTERS_MAX} may: wrap it, or make the table a list`;
    return length > LINE_CHARACTERS_MAX ? [{ file: page, line: at + 1, what }] : [];
  });
}

function glossaryFindings([page, text]: Page): Finding[] {
  const seen = new Map<string, number>();
  return proseLines(text).flatMap((content, at) => {
    const term = /^- \*\*(.+?)\*\*/.exec(content)?.[1]?.toLowerCase();
    if (term === undefined) return [];
    const first = seen.get(term);
    seen.set(term, at + 1);
    const wrong: string[] = [];
    if (first !== undefined) wrong.push(`${term} stands on line ${first} already: one entry a term`);
    if (!/^- \*\*.+?\*\*: .+\. Not: .+\.$/.test(content))
      wrong.push(`${term}: write "- **term**: sentence. Not: words."`);
    return wrong.map((what) => ({ file: page, line: at + 1, what }));
  });
}

test('every relative link of a page leads to a file and a heading that exist', () => {
  assertNone(linkFindings(pages));
});

test('ARCHITECTURE and CONTRIBUTING name only paths that exist or are marked as planned', () => {
  assertNone(pages.filter(([path]) => ['ARCHITECTURE.md', 'CONTRIBUTING.md'].includes(path)).flatMap(claimFindings));
});

test('no line of a page is too long to read beside code', () => {
  const own = pages.filter(([path]) => /^(?:docs\/.*|[A-Z]+)\.md$/.test(path) && !LONG_PAGES.includes(path));
  assertNone(own.flatMap(lengthFindings));
});

const glossary = pages.find(([path]) => path === 'docs/glossary.md');
test('the glossary has each term once, with what not to call it', {
  skip: glossary ? false : 'no docs/glossary.md',
}, () => {
  if (glossary) assertNone(glossaryFindings(glossary));
});

test('planted: broken links, claims, long lines and doubled terms are found', () => {
  const links = (text: string) => linkFindings([['docs/page.md', text]]);
  assertFound(links('\n[a](nowhere.md)'), 2, /no docs\/nowhere.md/);
  assertFound(links('# One\n[a](#two)'), 2, /no heading #two/);
  assertNone(links('# One & two: `x`\n[a](#one--two-x) [b](https://example.org/) `[c](no.md)`\n```\n[d](no.md)\n```'));
  assertFound(claimFindings(['A.md', 'see `src/none.ts`']), 1, /not there/);
  assertNone(claimFindings(['A.md', '## Map (planned)\nsee `src/none.ts`']));
  assertFound(lengthFindings(['A.md', `\n${'…'.repeat(LINE_CHARACTERS_MAX + 1)}`]), 2, /161 characters/);
  assertNone(lengthFindings(['A.md', '…'.repeat(LINE_CHARACTERS_MAX)]));
  assertFound(glossaryFindings(['g.md', '- **task**: A. Not: b.\n- **Task**: C. Not: d.']), 2, /line 1 already/);
  assertFound(glossaryFindings(['g.md', '- **task**: only this.']), 1, /Not: words/);
});
