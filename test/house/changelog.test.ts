import { test } from 'node:test';
import { assertFound, assertNone, type Finding } from './finding.ts';
import { readText } from './source-file.ts';

const PAGE = 'CHANGELOG.md';
const CHARACTERS_MAX = 160;
const GROUPS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

const RELEASE = /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$/;
const SECOND_SENTENCE = /[.!?] +[\p{Lu}`*[]/u;

/** An entry that tells the old fault first needs a second sentence for what is there now: one sentence leaves no room for it. */
function wrongEntry(line: string): string | undefined {
  if (!line.endsWith('.')) return 'an entry is one line and ends with a full stop';
  return SECOND_SENTENCE.test(line) ? 'an entry is one sentence: say only what is there now' : undefined;
}

function wrongHeading(line: string): string | undefined {
  if (line.startsWith('## ')) {
    return line === '## [Unreleased]' || RELEASE.test(line) ? undefined : 'a release is "## [1.2.3] - 2026-01-31"';
  }
  if (!line.startsWith('### ') || GROUPS.includes(line.slice('### '.length))) return undefined;
  return `a group is one of ${GROUPS.join(', ')}`;
}

function wrongLine(line: string, above: string): string | undefined {
  if (line.length > CHARACTERS_MAX) return `has ${line.length} characters, at most ${CHARACTERS_MAX} may: shorten it`;
  if (line.startsWith('#')) return wrongHeading(line);
  if (line.startsWith('- ')) return wrongEntry(line);
  return line !== '' && above.startsWith('- ') ? 'an entry is one line' : undefined;
}

function lineFindings(text: string): Finding[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const what = wrongLine(line, lines[at - 1] ?? '');
    return what === undefined ? [] : [{ file: PAGE, line: at + 1, what }];
  });
}

/** A group and an entry stand once: a release with two lists of what was added is not read to its end. */
function doubleFindings(text: string): Finding[] {
  const seen = new Map<string, number>();
  let release = '';
  return text.split('\n').flatMap((line, at) => {
    if (line.startsWith('## ')) release = line;
    if (!/^(?:###? |- )/.test(line)) return [];
    const name = line.startsWith('### ') ? `${release}${line}` : line;
    const first = seen.get(name);
    seen.set(name, first ?? at + 1);
    return first === undefined ? [] : [{ file: PAGE, line: at + 1, what: `stands on line ${first} already` }];
  });
}

function partsOf(version: string): number[] {
  return version.split('.').map(Number);
}

function isOlder(version: string, than: string): boolean {
  const [own, other] = [partsOf(version), partsOf(than)];
  const at = own.findIndex((part, place) => part !== other[place]);
  return at >= 0 && (own[at] ?? 0) < (other[at] ?? 0);
}

function releaseFindings(text: string, packaged: string): Finding[] {
  const releases = text.split('\n').flatMap((content, at) => {
    const version = RELEASE.exec(content)?.[1];
    return version === undefined ? [] : [{ version, line: at + 1 }];
  });
  const newest = releases[0];
  if (newest === undefined) return [{ file: PAGE, line: 1, what: 'names no release' }];
  const unordered = releases.filter(({ version }, at) => at > 0 && !isOlder(version, releases[at - 1]?.version ?? ''));
  return [
    ...unordered.map(({ line }) => ({ file: PAGE, line, what: 'the newest release stands first' })),
    ...(newest.version === packaged
      ? []
      : [
          {
            file: PAGE,
            line: newest.line,
            what: `the newest release is ${newest.version}, package.json says ${packaged}`,
          },
        ]),
  ];
}

test('an entry of the changelog is one short line that says what is there now', () => {
  const text = readText(PAGE) ?? '';
  assertNone([...lineFindings(text), ...doubleFindings(text)]);
});

test('the newest release of the changelog is the version of the package', () => {
  const { version }: { version: string } = JSON.parse(readText('package.json') ?? '{}');
  assertNone(releaseFindings(readText(PAGE) ?? '', version));
});

test('planted: long, broken and doubled entries, and releases out of order are found', () => {
  assertNone(lineFindings('## [Unreleased]\n\n### Added\n- `baton a` does b (c. 2 s).\n\n## [0.2.0] - 2026-11-16\n'));
  assertFound(lineFindings(`- ${'a'.repeat(CHARACTERS_MAX)}.`), 1, /163 characters/);
  assertFound(lineFindings('- One entry\n  on two lines.'), 2, /one line/);
  assertFound(lineFindings('- `a` could not be read. It is read.'), 1, /one sentence/);
  assertFound(lineFindings('## [0.2.0]'), 1, /a release is/);
  assertFound(lineFindings('### New'), 1, /a group is/);
  assertFound(doubleFindings('## [Unreleased]\n### Added\n### Fixed\n### Added'), 4, /line 2/);
  assertFound(doubleFindings('- One.\n- One.'), 2, /line 1/);
  const two = '## [0.9.0] - 2026-11-15\n## [0.10.0] - 2026-11-16';
  assertFound(releaseFindings(two, '0.9.0'), 2, /newest release stands first/);
  assertFound(releaseFindings('## [0.9.0] - 2026-11-15', '0.10.0'), 1, /package.json says 0.10.0/);
  assertNone(releaseFindings('## [0.10.0] - 2026-11-16\n## [0.9.0] - 2026-11-15', '0.10.0'));
  assertFound(releaseFindings('# Changelog', '0.1.0'), 1, /no release/);
});
