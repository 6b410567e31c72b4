import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SUGGESTION_FILE_BYTES_MAX } from '../domain/limits.ts';

export interface SuggestedCheck {
  readonly command: string;
  /** The file that suggests it. */
  readonly because: string;
}

/** Guesses the checks of a repository from its files. Nothing is run, and no text of the repository becomes part of a command. */
export function suggestChecks(root: string): readonly SuggestedCheck[] {
  const read = (name: string) => readSmall(join(root, name));
  return [...ofPackage(read), ...ofMakefile(read), ...ofPython(read), ...ofLanguages(read)];
}

type FileReader = (name: string) => string | null;

/** Null for anything but a plain file of a usual size. */
function readSmall(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size > SUGGESTION_FILE_BYTES_MAX) return null;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // An unreadable file suggests nothing.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}

const SCRIPTS = ['test', 'typecheck', 'lint'] as const;
/** Written by npm init. */
const NO_TEST = 'no test specified';

function ofPackage(read: FileReader): readonly SuggestedCheck[] {
  const { scripts, packageManager } = objectIn(parsed(read('package.json') ?? 'null'));
  const known = objectIn(scripts);
  const tool = toolOf(packageManager, read);
  const isReal = (script: unknown) => typeof script === 'string' && !script.includes(NO_TEST);
  return SCRIPTS.filter((name) => isReal(known[name])).map((name) => {
    const call = name === 'test' && tool !== 'bun' ? name : `run ${name}`;
    return { command: `${tool} ${call}`, because: 'package.json' };
  });
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A file that is no JSON suggests nothing.
    return null;
  }
}

const LOCKFILES = { 'pnpm-lock.yaml': 'pnpm', 'yarn.lock': 'yarn', 'bun.lock': 'bun', 'bun.lockb': 'bun' } as const;
const TOOL = /^(npm|pnpm|yarn|bun)@/;

function toolOf(packageManager: unknown, read: FileReader): string {
  const named = typeof packageManager === 'string' ? TOOL.exec(packageManager)?.[1] : undefined;
  const locked = Object.entries(LOCKFILES).find(([file]) => read(file) !== null)?.[1];
  return named ?? locked ?? 'npm';
}

/** In the order in which make looks for them. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

function ofMakefile(read: FileReader): readonly SuggestedCheck[] {
  const file = MAKEFILES.find((name) => read(name) !== null);
  if (file === undefined) return [];
  const text = read(file) ?? '';
  const target = ['test', 'check'].find((name) => new RegExp(`^${name}[ \\t]*:(?!=)`, 'm').test(text));
  return target === undefined ? [] : [{ command: `make ${target}`, because: file }];
}

const PYTEST_FILES: ReadonlyArray<readonly [file: string, sign: RegExp]> = [
  ['pytest.ini', /^/],
  ['pyproject.toml', /\bpytest\b/],
  ['setup.cfg', /^\[tool:pytest\]/m],
  ['tox.ini', /\bpytest\b/],
];

function ofPython(read: FileReader): readonly SuggestedCheck[] {
  const found = PYTEST_FILES.find(([file, sign]) => read(file) !== null && sign.test(read(file) ?? ''));
  return found ? [{ command: 'pytest', because: found[0] }] : [];
}

const LANGUAGES: Readonly<Record<string, string>> = { 'Cargo.toml': 'cargo test', 'go.mod': 'go test ./...' };

function ofLanguages(read: FileReader): readonly SuggestedCheck[] {
  return Object.entries(LANGUAGES).flatMap(([file, command]) =>
    read(file) === null ? [] : [{ command, because: file }],
  );
}
