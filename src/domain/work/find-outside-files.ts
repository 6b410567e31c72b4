import { withoutEnd } from '../words/without-end.ts';
import { isTestFile } from './find-judging-files.ts';

/** A word of an objective that may name a file, a folder or a pattern; quotes and brackets around it do not count. */
const WORD = /[\w@*./\\~-]+/g;
const FILE_NAME = /^[\w@.-]*\.[A-Za-z][A-Za-z0-9]{0,9}$/;
/** Products and abbreviations that look like files. */
const NO_FILES =
  /^(?:(?:node|next|nuxt|vue|react|angular|three|d3|express|ember|backbone|moment|chart|discord|electron|alpine)\.js|asp\.net|socket\.io|e\.g|i\.e)$/i;
/** Written by package managers along with the manifest beside them. */
const LOCK_FILE =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|Pipfile\.lock|composer\.lock|Gemfile\.lock)$/;
const ABOUT_TESTS = /\b(tests?|specs?|testing|coverage)\b/i;

/**
 * Changed files that have nothing to do with the files which an objective and its outputs name: neither one of them, nor
 * below a named folder, nor a test of one. None where nothing is named, since then nothing can be outside.
 */
export function findOutsideFiles(
  objective: string,
  outputs: readonly string[],
  changed: readonly string[],
): readonly string[] {
  const named = [...wordsWithFiles(objective), ...outputs.map(plain)].filter((path) => path !== '' && path !== '.');
  if (named.length === 0) return [];
  const isAboutTests = ABOUT_TESTS.test(objective);
  return changed.filter((path) => {
    if (LOCK_FILE.test(path) || (isAboutTests && isTestFile(path))) return false;
    return !named.some((name) => covers(name, plain(path)));
  });
}

function wordsWithFiles(objective: string): readonly string[] {
  return (objective.match(WORD) ?? [])
    .map((word) => plain(withoutEnd(word.replaceAll('\\', '/'), '.,;:')))
    .filter((word) => !NO_FILES.test(word) && (isPath(word) || FILE_NAME.test(word)));
}

/** A slash between two names makes a path; "and/or" and "I/O" do not. */
function isPath(word: string): boolean {
  if (!word.includes('/') || word.startsWith('//')) return false;
  return word.endsWith('/') || /\/[\w@-]*[.*][^/]*$/.test(word) || /^[\w@.-]{3,}(\/[\w@.-]{3,})+$/.test(word);
}

function plain(path: string): string {
  return path.replace(/^(?:\.\/+)+/, '').replace(/^\/+/, '');
}

function covers(name: string, path: string): boolean {
  const folder = withoutEnd(name.split('*', 1)[0] ?? '', '/');
  if (folder === '') return true;
  const isThere = path === folder || path.endsWith(`/${folder}`);
  const isBelow = path.startsWith(`${folder}/`) || path.includes(`/${folder}/`);
  return isThere || isBelow || stemOf(path) === stemOf(folder);
}

/** The name of a file without its extensions and without what makes it a test: money for test_money.py and money.test.ts. */
function stemOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const [first = ''] = name.split('.');
  return (name.startsWith('.') ? name : first).toLowerCase().replace(/^tests?[_-]|[_-](tests?|specs?)$/g, '');
}
