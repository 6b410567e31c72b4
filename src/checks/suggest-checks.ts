import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SUGGESTION_FILE_BYTES_MAX } from '../domain/limits.ts';
import { isJsonObject, readJson } from '../protocols/json-text.ts';

export interface SuggestedCheck {
  readonly command: string;
  /** The file that suggests it. */
  readonly because: string;
}

/** What a repository lets one think its checks are. Nothing is run, and no word of the repository is in a command. */
export function suggestChecks(root: string): readonly SuggestedCheck[] {
  const read = (name: string) => readSmall(join(root, name));
  return [...ofPackage(read), ...ofMakefile(read), ...ofPython(read), ...ofLanguages(read)];
}

type Read = (name: string) => string | null;

/** Null for what is not there, no plain file, or longer than such a file is. */
function readSmall(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || stat.size > SUGGESTION_FILE_BYTES_MAX) return null;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // Closed to us: it suggests nothing.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}

const SCRIPTS = ['test', 'typecheck', 'lint'] as const;
/** What npm init writes. */
const NO_TEST = 'no test specified';

function ofPackage(read: Read): readonly SuggestedCheck[] {
  const reading = readJson(read('package.json') ?? 'null');
  if (reading.kind === 'broken' || !isJsonObject(reading.value)) return [];
  const { scripts, packageManager } = reading.value;
  if (!isJsonObject(scripts)) return [];
  const tool = toolOf(packageManager, read);
  return SCRIPTS.filter((name) => typeof scripts[name] === 'string' && !scripts[name].includes(NO_TEST)).map((name) => {
    const call = name === 'test' && tool !== 'bun' ? name : `run ${name}`;
    return { command: `${tool} ${call}`, because: 'package.json' };
  });
}

const LOCKFILES = { 'pnpm-lock.yaml': 'pnpm', 'yarn.lock': 'yarn', 'bun.lock': 'bun', 'bun.lockb': 'bun' } as const;
const TOOL = /^(npm|pnpm|yarn|bun)@/;

function toolOf(packageManager: unknown, read: Read): string {
  const named = typeof packageManager === 'string' ? TOOL.exec(packageManager)?.[1] : undefined;
  const locked = Object.entries(LOCKFILES).find(([file]) => read(file) !== null)?.[1];
  return named ?? locked ?? 'npm';
}

/** The first that make itself would read. */
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

function ofMakefile(read: Read): readonly SuggestedCheck[] {
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

function ofPython(read: Read): readonly SuggestedCheck[] {
  const found = PYTEST_FILES.find(([file, sign]) => read(file) !== null && sign.test(read(file) ?? ''));
  return found ? [{ command: 'pytest', because: found[0] }] : [];
}

const LANGUAGES: Readonly<Record<string, string>> = { 'Cargo.toml': 'cargo test', 'go.mod': 'go test ./...' };

function ofLanguages(read: Read): readonly SuggestedCheck[] {
  return Object.entries(LANGUAGES).flatMap(([file, command]) =>
    read(file) === null ? [] : [{ command, because: file }],
  );
}
