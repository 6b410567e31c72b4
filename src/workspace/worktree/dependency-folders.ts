import { globSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SHARED_FOLDERS_MAX, SUGGESTION_FILE_BYTES_MAX } from '../../domain/limits.ts';
import { withoutEdges, withoutEnd } from '../../domain/words/without-end.ts';
import { isThere } from '../../platform/files/durable-files.ts';

/** A folder of installed dependencies, which git does not have. */
export interface DependencyFolder {
  /** From the root of the repository. */
  readonly path: string;
  /** The file that names the dependencies. */
  readonly manifest: string;
  /** The command that installs them. */
  readonly install: string;
  readonly isThere: boolean;
}

interface Kind {
  readonly manifests: readonly string[];
  readonly folders: readonly string[];
  /** The first whose file is there; the last one has none. */
  readonly installers: readonly (readonly [file: string | null, command: string])[];
  /** The folder is expected: without it the program does not run. Others are used where they are. */
  isExpected(root: string): boolean;
}

const KINDS: readonly Kind[] = [
  {
    manifests: ['package.json'],
    folders: ['node_modules'],
    installers: [
      ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
      ['yarn.lock', 'yarn install'],
      ['bun.lock', 'bun install'],
      ['bun.lockb', 'bun install'],
      ['package-lock.json', 'npm ci'],
      [null, 'npm install'],
    ],
    isExpected: (root) => namesDependencies(readManifest(root, 'package.json')),
  },
  {
    manifests: ['uv.lock', 'poetry.lock', 'pyproject.toml', 'requirements.txt', 'Pipfile'],
    folders: ['.venv', 'venv'],
    installers: [
      ['uv.lock', 'uv sync'],
      ['poetry.lock', 'poetry install'],
      [null, 'python3 -m venv .venv'],
    ],
    isExpected: (root) => isThere(join(root, 'uv.lock')),
  },
  {
    manifests: ['composer.json'],
    folders: ['vendor'],
    installers: [[null, 'composer install']],
    isExpected: () => true,
  },
  {
    manifests: ['Gemfile', 'go.mod'],
    folders: ['vendor'],
    installers: [
      ['Gemfile', 'bundle install'],
      [null, 'go mod vendor'],
    ],
    isExpected: () => false,
  },
];

/** The folders of dependencies that the files at a root ask for: those that are there, and those that should be. */
export function dependencyFolders(root: string): readonly DependencyFolder[] {
  const found = [...KINDS.flatMap((kind) => foldersOf(kind, root)), ...workspaceFolders(root), ...packageFolders(root)];
  const unique = [...new Map(found.toReversed().map((folder) => [folder.path, folder])).values()].toReversed();
  return unique.slice(0, SHARED_FOLDERS_MAX);
}

const MANIFESTS = KINDS.flatMap(({ manifests }) => manifests).join(',');

/** Packages one or two levels down that have installed dependencies of their own, as frontend/ and backend/ do. */
function packageFolders(root: string): DependencyFolder[] {
  const exclude = (name: string) => name.startsWith('.') || KINDS.some(({ folders }) => folders.includes(name));
  const manifests = globSync([`*/{${MANIFESTS}}`, `*/*/{${MANIFESTS}}`], { cwd: root, exclude });
  const folders = [...new Set(manifests.map((path) => dirname(path)))].sort();
  return folders.flatMap((folder) =>
    KINDS.flatMap((kind) => foldersOf(kind, join(root, folder)))
      .filter(({ isThere }) => isThere)
      .map((found) => ({ ...found, path: join(folder, found.path) })),
  );
}

function foldersOf(kind: Kind, root: string): DependencyFolder[] {
  const manifest = kind.manifests.find((name) => isThere(join(root, name)));
  if (manifest === undefined) return [];
  const [, install] = kind.installers.find(([file]) => file === null || isThere(join(root, file))) ?? [null, ''];
  const there = kind.folders.filter((path) => isFolder(join(root, path)));
  const about = { manifest, install };
  if (there.length > 0) return there.map((path) => ({ path, ...about, isThere: true }));
  const [expected = ''] = kind.folders;
  return kind.isExpected(root) ? [{ path: expected, ...about, isThere: false }] : [];
}

/** The packages of a monorepo have folders of their own where versions differ. */
function workspaceFolders(root: string): DependencyFolder[] {
  const patterns = [...packagePatterns(readManifest(root, 'package.json')), ...pnpmPatterns(root)];
  const plain = patterns.filter((pattern) => !pattern.startsWith('!') && !pattern.split('/').includes('..'));
  if (plain.length === 0) return [];
  const exclude = (name: string) => name === 'node_modules' || name === '.git';
  const folders = globSync(
    plain.map((pattern) => withoutEnd(pattern, '/')),
    { cwd: root, exclude },
  );
  return folders
    .sort()
    .map((folder) => join(folder, 'node_modules'))
    .filter((path) => isFolder(join(root, path)))
    .map((path) => ({ path, manifest: 'package.json', install: 'npm ci', isThere: true }));
}

function packagePatterns({ workspaces }: Readonly<Record<string, unknown>>): readonly string[] {
  const list = Array.isArray(workspaces) ? workspaces : (workspaces as { packages?: unknown } | undefined)?.packages;
  return Array.isArray(list) ? list.filter((pattern) => typeof pattern === 'string') : [];
}

/** `packages:` of pnpm-workspace.yaml, one pattern a line. */
function pnpmPatterns(root: string): readonly string[] {
  const text = readSmall(join(root, 'pnpm-workspace.yaml')) ?? '';
  const lines = text.split('\n').map((line) => line.trim());
  const list = lines.slice(lines.findIndex((line) => /^packages:$/.test(line)) + 1 || lines.length);
  const end = list.findIndex((line) => !/^(?:[-#]|$)/.test(line));
  const entries = list.slice(0, end < 0 ? list.length : end).filter((line) => line.startsWith('-'));
  return entries.map((line) => withoutEdges(line.slice(1).trim(), '"\'')).filter((entry) => /^[^"'#]+$/.test(entry));
}

function namesDependencies(manifest: Readonly<Record<string, unknown>>): boolean {
  const lists = [manifest.dependencies, manifest.devDependencies, manifest.optionalDependencies];
  return lists.some((list) => typeof list === 'object' && list !== null && Object.keys(list).length > 0);
}

function readManifest(root: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readSmall(join(root, name)) ?? 'null');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // Not JSON: it asks for nothing.
    return {};
  }
}

function readSmall(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() && stats.size <= SUGGESTION_FILE_BYTES_MAX ? readFileSync(path, 'utf8') : null;
}

/** A link may lead anywhere: it is not a folder. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
