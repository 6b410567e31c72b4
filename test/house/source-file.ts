import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Token, tokenize } from './tokens.ts';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Without comments. */
  readonly code: readonly Token[];
  readonly comments: readonly Token[];
}

const IGNORED_FOLDERS = ['node_modules', 'dist', '.git', '.cache', '.baton', 'coverage'];

export function sourceFile(path: string, text: string): SourceFile {
  const tokens = tokenize(text);
  return {
    path,
    text,
    code: tokens.filter((token) => token.kind !== 'comment'),
    comments: tokens.filter((token) => token.kind === 'comment'),
  };
}

/** Every file of the project that git does not ignore, tracked or not yet; without git, every file. */
export function projectPaths(): string[] {
  try {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return [...new Set(listed.split('\0'))].filter((path) => path !== '' && isPresent(path)).sort();
  } catch {
    // A source archive has no .git: the folders are walked instead.
    return readdirSync(ROOT, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
      .filter((path) => !path.split('/').some((part) => IGNORED_FOLDERS.includes(part)))
      .sort();
  }
}

function isPresent(path: string): boolean {
  return readText(path) !== undefined;
}

const texts = new Map<string, string | undefined>();

export function readText(path: string): string | undefined {
  if (!texts.has(path)) {
    try {
      texts.set(path, readFileSync(join(ROOT, path), 'utf8'));
    } catch {
      // Removed since git listed it, or a folder: not a file to look at.
      texts.set(path, undefined);
    }
  }
  return texts.get(path);
}

/** The TypeScript files below the folders, parsed. */
export function sourceFiles(...folders: string[]): SourceFile[] {
  return projectPaths()
    .filter((path) => /\.tsx?$/.test(path) && folders.some((folder) => path.startsWith(`${folder}/`)))
    .map((path) => sourceFile(path, readText(path) ?? ''));
}

export function isTest(file: { readonly path: string }): boolean {
  return /\.test\.tsx?$/.test(file.path);
}
