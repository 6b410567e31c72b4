import type { MadeCheck } from '../execution/check-result.ts';
import type { ChangedFile } from '../execution/findings.ts';
import type { ExpectedOutput } from '../order/order.ts';
import { filesInControl, filesRun } from './find-changed-checks.ts';
import { isWithin, wholePath } from './path-text.ts';

const TEST_FOLDERS = /(^|\/)(tests?|specs?|__tests__|__mocks__|__snapshots__|testdata|e2e|cypress)\//i;
const TEST_NAMES = [
  /(^|\/)test_[^/]*$/,
  /[_.-](test|tests|spec|specs)\.[^/]+$/,
  /(Test|Tests|Spec|IT)\.(java|kt|cs|scala|swift|groovy)$/,
  /\.snap$/,
];
/** Files that configure test runners and what starts them: they can leave tests out, or replace the program that runs. */
const RUNNER_NAMES = [
  /(^|\/)(vitest|jest|playwright|cypress|karma|ava|wdio|vite|babel)\.(config|conf|workspace|setup)\.[^/]+$/,
  /(^|\/)\.(mocharc|nycrc|jestrc|taprc|c8rc|rspec|rspec-local|babelrc|swcrc|npmrc|yarnrc|pytest)(\.[^/]+)?$/,
  /(^|\/)(pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|phpunit\.xml(\.dist)?|bunfig\.toml|mocha\.opts)$/,
  // Modules that Python loads before, or instead of, the runner of the same name.
  /(^|\/)(conftest|noxfile|unittest|pytest|nose|sitecustomize|usercustomize)\.py$/,
  // Make reads these two before Makefile.
  /(^|\/)(GNUmakefile|makefile|justfile|\.justfile|Taskfile\.ya?ml)$/,
  /(^|\/)(\.pnpmfile\.cjs|\.cargo\/config(\.toml)?|rust-toolchain(\.toml)?|go\.work|gradle\.properties|init\.gradle)$/,
  /(^|\/)\.env\.test$/,
];
/** A file that a check runs judges the work, whatever its name, unless its name or folder is that of a product, such as app.js. */
const PRODUCT_NAMES = [
  /(^|\/)(src|lib|app|apps|bin|cmd|pkg|packages|dist|build|target|out)\//,
  /(^|\/)(index|main|app|server|cli|__main__|manage)\.[^/.]+$/,
];
/** A file that a check names beside what it runs judges the work by its name or folder. */
const JUDGE_NAMES = [/(^|\/)(scripts?|ci|tools|hack)\//, /(check|verif|valid|lint|smoke|test|spec|ci)[^/]*$/i, /\.sh$/];
/** Data that a judge compares the work with. */
const DATA_NAMES = [/(expect|golden|baseline|approved)[^/]*$/i, /(^|\/)(expected|golden|fixtures?|baselines?)\//i];
/** Scripts and targets that judge: what they run directly is a judge, whatever its name. */
const JUDGING_SCRIPT = /test|check|verif|valid|lint|smoke|spec|^ci$/i;
const RUN_BY =
  /(?:^|[\s;&|])(?:(?:ba|da|z|k)?sh|node|deno run|bun|tsx|python[\d.]*|ruby|perl|php)\s+(?:-\S+\s+)*([\w@./-]+)/g;
const FLAG_WITH_FILE = /^-{1,2}[\w-]+=(.+)$/;
/** Flags whose next word is a file that configures what runs: --config jest.e2e.json, make -f checks.mk, node --require setup.js. */
const FLAG_BEFORE_FILE =
  /^(-c|-f|-p|-r|--(config|conf|project|require|import|file|makefile|setup|setup-files|rcfile))$/;

export interface JudgingFacts {
  readonly made: readonly MadeCheck[];
  readonly changed: readonly Pick<ChangedFile, 'path' | 'status'>[];
  readonly outputs: readonly Pick<ExpectedOutput, 'type' | 'path'>[];
  readonly workspaceRoot: string;
  /** Files that the scripts of the checks run or read in turn. */
  readonly behind?: readonly string[];
}

/**
 * The changed files that decide whether the checks pass: tests that existed before the work, scripts and settings that a
 * check names, those behind them, and the configuration of test runners, also where it is new. A file that the order expects
 * is work.
 */
export function findJudgingFiles({
  made,
  changed,
  outputs,
  workspaceRoot,
  behind = [],
}: JudgingFacts): readonly string[] {
  const named = new Set([...judgesNamedBy(made), ...behind]);
  const expected = outputs.flatMap(({ path }) => (path === null ? [] : [wholePath(workspaceRoot, path)]));
  return changed
    .filter(({ path, status }) => {
      if (expected.some((output) => isWithin(output, wholePath(workspaceRoot, path)))) return false;
      if (matches(RUNNER_NAMES, path)) return true;
      return status !== 'created' && (isTestFile(path) || named.has(path));
    })
    .map(({ path }) => path);
}

/** The files that the commands of checks name as judges. */
export function judgesNamedBy(made: readonly Pick<MadeCheck, 'argv'>[]): readonly string[] {
  return made.flatMap(({ argv }) => filesNamed(argv ?? []));
}

/**
 * The judges that a judge names in its text: scripts and data with the name of a judge, and the files that a script such as
 * `test` of package.json runs. A path may start at the folder of the file, or at the workspace.
 */
export function judgesNamedIn(path: string, text: string): readonly string[] {
  const written = text.split(/[\s"'`|&;<>()=,:[\]{}]+/);
  const words = written.map(plainPath);
  const named = words.filter((word) => isPath(word) && matches([...JUDGE_NAMES, ...DATA_NAMES, ...TEST_NAMES], word));
  const run = scriptsIn(path, text).flatMap((script) =>
    [...script.matchAll(RUN_BY)].map(([, file = '']) => plainPath(file)),
  );
  const folder = /^(.*\/)?/.exec(path)?.[0] ?? '';
  const found = [...named, ...run].flatMap((word) => [word, resolved(folder, word)]);
  return [...new Set([...found, ...besides(folder, written)])].filter((name) => name !== '' && name !== path);
}

/** Files beside a judge, in a folder of judges: helpers that it loads and data that it reads, whatever their names. */
function besides(folder: string, words: readonly string[]): readonly string[] {
  if (folder === '' || matches(PRODUCT_NAMES, folder)) return [];
  return words
    .filter((word) => isPath(word) && /\w/.test(word))
    .map((word) => (word.startsWith(folder) ? word : resolved(folder, word)))
    .filter((word) => word.startsWith(folder))
    .flatMap((word) => (/\.\w+$/.test(word) ? [word] : [word, `${word}.js`]));
}

/** A path from a folder, without its dots; empty where it leads out of the workspace. */
function resolved(folder: string, word: string): string {
  const parts: string[] = [];
  for (const part of `${folder}${word}`.split('/')) {
    if (part === '..' && parts.pop() === undefined) return '';
    if (part !== '..' && part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** The commands of a file that are there to judge; none of any other file, whose commands may run the work. */
function scriptsIn(path: string, text: string): readonly string[] {
  if (/(^|\/)package\.json$/.test(path)) {
    const entries = [...text.matchAll(/"([\w:.-]+)"\s*:\s*"((?:[^"\\]|\\.)*)"/g)];
    return entries.filter(([, name = '']) => JUDGING_SCRIPT.test(name)).map(([, , script = '']) => script);
  }
  if (!/(^|\/)(GNUm|M|m)akefile$/.test(path)) return [];
  const targets = [...text.matchAll(/^([\w./ -]+):.*\n((?:\t.*\n?)*)/gm)];
  return targets.filter(([, name = '']) => JUDGING_SCRIPT.test(name)).map(([, , recipe = '']) => recipe);
}

function isPath(word: string): boolean {
  return /^[\w@./-]{1,200}$/.test(word) && /[./]/.test(word) && !word.startsWith('/');
}

/** By its name or its folder. */
export function isTestFile(path: string): boolean {
  return TEST_FOLDERS.test(path) || matches(TEST_NAMES, path);
}

function filesNamed(argv: readonly string[]): readonly string[] {
  const words = wordsOf(argv).map(plainPath);
  const settings = words.flatMap((word) => FLAG_WITH_FILE.exec(word)?.[1] ?? []).map(plainPath);
  const given = words.filter((_, at) => FLAG_BEFORE_FILE.test(words[at - 1] ?? ''));
  const isShell = words.length > argv.length;
  const scripts = isShell
    ? [...argv.join(' ').matchAll(RUN_BY)].map(([, file = '']) => plainPath(file))
    : filesRun(argv);
  const run = scripts.filter((path) => path !== argv[0] && !matches(PRODUCT_NAMES, path));
  return [
    ...filesInControl(words),
    ...settings,
    ...given,
    ...run,
    ...words.filter((word) => matches(JUDGE_NAMES, word)),
  ];
}

/** A command for a shell is one word that holds several. */
function wordsOf(argv: readonly string[]): readonly string[] {
  const isShell = /(^|\/)(ba|da|z|k)?sh$/.test(argv[0] ?? '');
  return isShell ? argv.flatMap((word) => word.split(/[\s"'|&;<>()]+/)) : argv;
}

function matches(patterns: readonly RegExp[], path: string): boolean {
  return patterns.some((pattern) => pattern.test(path));
}

function plainPath(path: string): string {
  return path.replace(/^(\.\/+)+/, '');
}
