import type { MadeCheck } from '../execution/check-result.ts';
import type { ChangedFile } from '../execution/findings.ts';

/** A check that runs a file which the work changed. */
export interface ChangedCheck {
  readonly command: string;
  readonly path: string;
}

const INTERPRETERS = /(^|\/)((ba|da|z|k)?sh|node|deno|bun|python[\d.]*|ruby|perl|php)$/;
/** Programs that run commands from files of the workspace, with those files. */
const CONTROLLED_BY_FILES: readonly (readonly [program: RegExp, files: readonly string[]])[] = [
  [/(^|\/)(npm|npx|pnpm|yarn)$/, ['package.json']],
  [/(^|\/)make$/, ['Makefile', 'makefile', 'GNUmakefile']],
];

/** A file that a check reads is work; a file that it runs judges the work, so the agent must not change it unnoticed. */
export function findChangedChecks(
  made: readonly MadeCheck[],
  changed: readonly ChangedFile[],
): readonly ChangedCheck[] {
  const paths = new Set(changed.map(({ path }) => path));
  return made.flatMap(({ argv, command }) =>
    filesRun(argv ?? [])
      .filter((path) => paths.has(path))
      .map((path) => ({ command: command ?? path, path })),
  );
}

/** The files that say what the programs among these words run: package.json for npm. */
export function filesInControl(words: readonly string[]): readonly string[] {
  return CONTROLLED_BY_FILES.flatMap(([pattern, files]) => (words.some((word) => pattern.test(word)) ? files : []));
}

/** The files of the workspace that a command runs: the script of an interpreter, a program by its path, or package.json for npm. */
export function filesRun([program = '', ...args]: readonly string[]): readonly string[] {
  const files = filesInControl([program]);
  if (files.length > 0) return files;
  const script = INTERPRETERS.test(program) ? args.find((word) => !word.startsWith('-')) : program;
  return script === undefined ? [] : [script.replace(/^(\.\/+)+/, '')];
}
