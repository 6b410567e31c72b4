import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../../domain/work/repository.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { type FileVersion, versionOf, withoutIndex } from '../diff-shadows.ts';
import { git, splitAtNul } from '../git.ts';
import { NO_TREE } from './kept-index.ts';
import type { Basis } from './object-store.ts';
import { NO_BRANCH, type PrivateRepository } from './private-repository.ts';
import { inspectFiles } from './work-file.ts';

/** Git knows these by heart, by the length of an object's name. */
const EMPTY_TREES: Readonly<Record<number, string>> = {
  20: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  32: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};
const SLASH = 0x2f;
const BLANK = 0x20;
/** A line of `git status`: its kind, and the column that says how the file differs from the index. */
const TRACKED = 0x31;
const UNTRACKED = 0x3f;
const IGNORED = 0x21;
const UNSTAGED_AT = 3;
const SAME = 0x2e;
const FIELDS_BEFORE_NAME = 8;
const INDEX_MODE_FIELD = 4;
const INDEX_OBJECT_FIELD = 7;

/** Names of files that a shadow must inspect. */
export interface FoundNames {
  /** Names whose entry in the index may be wrong, each once. */
  readonly all: readonly Buffer[];
  /** Names that the index has, the basis does not, and git ignores. */
  readonly ignored: readonly Buffer[];
  /** Ignored files and folders, each folder once and with a slash at its end. */
  readonly ignoredEntries: readonly Buffer[];
  readonly hasAdded: boolean;
  /** Names of which the index and the basis have different versions. */
  readonly differences: readonly BasisDifference[];
  /** The version that the index has; null where it has none. */
  indexed(name: Buffer): FileVersion | null;
}

/** A file of which the index and the basis have different versions; null where one of them has none. */
export interface BasisDifference {
  readonly name: Buffer;
  readonly inIndex: FileVersion | null;
  readonly inBasis: FileVersion | null;
}

/** Ignore rules of an earlier time, in a file. */
export interface EarlierRules {
  readonly file: string;
  /** A file that has not changed since, in milliseconds since 1970, was there when these rules were in force. */
  readonly sinceMs: number;
}

interface FindQuestion {
  readonly head: Basis | null;
  readonly start: string;
  readonly basis: string;
  readonly rules: EarlierRules | undefined;
}

/** Finds the names whose entry in the kept index is not what the shadow has to record. */
export async function findNames(
  own: PrivateRepository,
  repository: Repository,
  { head, start, basis, rules }: FindQuestion,
): Promise<FoundNames> {
  const found = await differingNames(own, head);
  const hidden = rules === undefined ? [] : await namesByRules(own, rules);
  const isHidden = new Set(hidden.map((name) => name.toString('latin1')));
  const changed = await withoutSparse(repository, found.changed);
  const differences = start === basis ? [] : await basisDifferences(own, start, basis);
  const missing = differences.filter(({ inIndex }) => !inIndex).map(({ name }) => name);
  const extra = differences.filter(({ inBasis }) => !inBasis).map(({ name }) => name);
  const names = [...changed, ...found.added, ...missing, ...hidden];
  const all = new Map(names.map((name) => [name.toString('latin1'), name]));
  return {
    all: [...all.values()],
    ignored: (await ignoredNames(own, extra)).filter((name) => !isHidden.has(name.toString('latin1'))),
    ignoredEntries: found.ignoredEntries,
    hasAdded: found.added.length > 0 || hidden.length > 0,
    differences,
    indexed: (name) => found.indexed.get(name.toString('latin1')) ?? null,
  };
}

/**
 * Finds files that differ from the index, and files that it does not have. Git writes to the index which files are the same
 * in spite of their times, so that it need not read them again. Submodules and nested repositories are not entered.
 */
async function differingNames(own: PrivateRepository, head: Basis | null) {
  writeHead(own, head ? `${head.commit}\n` : NO_BRANCH);
  const args = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all'];
  const call = { args: [...args, '--ignored=matching'], env: { GIT_OPTIONAL_LOCKS: '1' } };
  const { stdout } = await git(own.place, call);
  const changed: Buffer[] = [];
  const added: Buffer[] = [];
  const ignoredEntries: Buffer[] = [];
  const indexed = new Map<string, FileVersion>();
  for (const line of splitAtNul(stdout)) {
    if (line[0] === TRACKED && line[UNSTAGED_AT] !== SAME) {
      const name = line.subarray(nameAt(line));
      const fields = line.toString('latin1').split(' ', FIELDS_BEFORE_NAME);
      const [mode = '', object = ''] = [fields[INDEX_MODE_FIELD], fields[INDEX_OBJECT_FIELD]];
      changed.push(name);
      indexed.set(name.toString('latin1'), { mode, object });
    } else if (line[0] === UNTRACKED && line.at(-1) !== SLASH) added.push(line.subarray(2));
    else if (line[0] === IGNORED) ignoredEntries.push(Buffer.from(line.subarray(2)));
  }
  return { changed, added, indexed, ignoredEntries };
}

/** Files that came since the rules were in force, and that they do not ignore: later rules must not hide them. */
async function namesByRules(own: PrivateRepository, { file, sinceMs }: EarlierRules): Promise<readonly Buffer[]> {
  const { stdout } = await git(own.place, { args: ['ls-files', '--others', '-z', `--exclude-from=${file}`] });
  return [...splitAtNul(stdout)].filter((name) => {
    const path = Buffer.concat([Buffer.from(`${own.place.workTree}/`), name]);
    return name.at(-1) !== SLASH && (lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= sinceMs;
  });
}

function writeHead(own: PrivateRepository, text: string): void {
  const file = join(own.folder, 'HEAD');
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) replaceFile(file, text, { isSynced: false });
}

function nameAt(line: Buffer): number {
  let at = 0;
  for (let field = 0; field < FIELDS_BEFORE_NAME; field++) at = line.indexOf(BLANK, at) + 1;
  return at;
}

/** Files of which the basis has another version than the index, or that only one of them has. */
async function basisDifferences(
  own: PrivateRepository,
  start: string,
  basis: string,
): Promise<readonly BasisDifference[]> {
  const [from, to] = [start, basis].map((tree) => (tree === NO_TREE ? EMPTY_TREES[own.objectBytes] : tree));
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', '--ignore-submodules=none'];
  const { stdout } = await git(own.place, {
    args: [...args, from ?? '', to ?? '', '--'],
    env: withoutIndex(own.place),
  });
  const parts = [...splitAtNul(stdout)];
  const differences: BasisDifference[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [wasMode = '', isMode = '', wasObject = '', isObject = ''] = String(parts[at]).slice(1).split(' ');
    const [inIndex, inBasis] = [versionOf(wasMode, wasObject), versionOf(isMode, isObject)];
    differences.push({ name: parts[at + 1] as Buffer, inIndex, inBasis });
  }
  return differences;
}

/** The names among these that exist and that git ignores. */
async function ignoredNames(own: PrivateRepository, names: readonly Buffer[]): Promise<readonly Buffer[]> {
  const files = [...inspectFiles(own.place.workTree, names, { findsUnreadable: false })];
  const existing = files.filter(({ kind }) => kind !== 'gone').map(({ name }) => name);
  if (existing.length === 0) return [];
  // Without a prefix git may read a name as a pattern: this command knows no literal ones.
  const input = Buffer.concat(existing.flatMap((name) => [Buffer.from('./'), name, Buffer.from([0])]));
  const call = { args: ['check-ignore', '--no-index', '-z', '--stdin'], input, exitCodes: [0, 1] };
  const { stdout } = await git({ ...own.place, env: { ...own.place.env, GIT_LITERAL_PATHSPECS: undefined } }, call);
  return [...splitAtNul(stdout)].map((name) => name.subarray(2));
}

/** A sparse checkout leaves files out that nobody deleted. */
async function withoutSparse(repository: Repository, names: readonly Buffer[]): Promise<readonly Buffer[]> {
  if (names.length === 0 || !existsSync(join(repository.gitDir, 'info', 'sparse-checkout'))) return names;
  const place = { gitDir: repository.gitDir, workTree: repository.root };
  const { stdout } = await git(place, { args: ['ls-files', '-z', '-t'] });
  const skipped = new Set<string>();
  for (const line of splitAtNul(stdout)) {
    if (line.subarray(0, 2).equals(Buffer.from('S '))) skipped.add(line.subarray(2).toString('latin1'));
  }
  const files = inspectFiles(repository.root, names, { findsUnreadable: false });
  return [...files]
    .filter(({ name, kind }) => !skipped.has(name.toString('latin1')) || kind !== 'gone')
    .map(({ name }) => name);
}
