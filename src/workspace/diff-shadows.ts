import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DIFF_TEXT_BYTES_MAX } from '../domain/limits.ts';
import { type GitEnvironment, type GitPlace, git, splitAtNul } from './git.ts';
import { openPrivateRepository, type ShadowPlace } from './shadow/private-repository.ts';

export type ChangeStatus = 'added' | 'modified' | 'deleted' | 'type-changed';

/** One file that differs between two trees; a move is a file deleted and one added. */
export interface FileChange {
  /** From the root, with slashes; for people and for rules. */
  readonly path: string;
  /** The same in bytes: not every name is text. */
  readonly name: Buffer;
  readonly status: ChangeStatus;
  /** Null where there was, or is, no file. */
  readonly before: FileVersion | null;
  readonly after: FileVersion | null;
  /** Lines; null where the file is binary. */
  readonly added: number | null;
  readonly removed: number | null;
}

export interface FileVersion {
  /** As git writes it: 100644, 100755 executable, 120000 symbolic link, 160000 submodule. */
  readonly mode: string;
  readonly object: string;
}

export interface DiffText {
  readonly text: string;
  readonly isTruncated: boolean;
}

interface Shadows {
  readonly before: string;
  readonly after: string;
}

const STATUSES: Readonly<Record<string, ChangeStatus>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  T: 'type-changed',
};
const NO_COMMANDS = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=none', '--submodule=short'];

/** The last difference that was asked for: a run's report asks for what was just collected. */
let latest: (Shadows & { readonly root: string; readonly changes: readonly FileChange[] }) | null = null;
/** A list of more files is not kept. */
const KEPT_CHANGES_MAX = 1_000;

/** Every file that differs between two commits of a workspace, in the order of their names. */
export async function changedFiles(place: ShadowPlace, { before, after }: Shadows): Promise<FileChange[]> {
  if (before === after) return [];
  const { root } = place;
  if (latest?.root === root && latest.before === before && latest.after === after) return [...latest.changes];
  const { place: own } = await openPrivateRepository(place);
  const changes = await changedInTrees(own, { before, after });
  if (changes.length <= KEPT_CHANGES_MAX) latest = { root, before, after, changes };
  return [...changes];
}

export async function changedInTrees(own: GitPlace, { before, after }: Shadows): Promise<FileChange[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--numstat', '--no-renames', '--full-index', ...NO_COMMANDS];
  const { stdout } = await git(thereOf(own), { args: [...args, before, after, '--'], env: withoutIndex(own) });
  return readChanges([...splitAtNul(stdout)]);
}

export interface DiffWish {
  /** With the content of binary files, so that it can be applied. */
  readonly hasBinary?: boolean;
  /** Only these files, from the root. */
  readonly paths?: readonly string[];
  readonly bytesMax?: number;
}

/** The arguments of a command are bounded. */
const DIFF_PATHS_MAX = 500;

/** The difference as a person reads it, moved files told as moved; the content of binary files only if it is to be applied. */
export async function diffText(
  place: ShadowPlace,
  { before, after }: Shadows,
  { hasBinary = true, paths = [], bytesMax = DIFF_TEXT_BYTES_MAX }: DiffWish = {},
): Promise<DiffText> {
  if (before === after) return { text: '', isTruncated: false };
  const { place: own } = await openPrivateRepository(place);
  const args = [
    'diff-tree',
    '-r',
    '-p',
    '--find-renames',
    ...(hasBinary ? ['--full-index', '--binary'] : []),
    ...NO_COMMANDS,
  ];
  const isLong = paths.length > DIFF_PATHS_MAX;
  const shown = paths.slice(0, DIFF_PATHS_MAX);
  const call = { args: [...args, before, after, '--', ...shown], outputBytesMax: bytesMax, env: withoutIndex(own) };
  const { stdout, isTruncated } = await git(thereOf(own), call);
  return { text: stdout.toString('utf8'), isTruncated: isTruncated || isLong };
}

/** Recorded states can be compared although the workspace is gone. */
export function thereOf(own: GitPlace): GitPlace {
  return existsSync(own.workTree) ? own : { ...own, workTree: own.gitDir };
}

/** Two trees are compared without the index: git would read all of it, and fail where it was cut short. */
export function withoutIndex({ gitDir }: GitPlace): GitEnvironment {
  return { GIT_INDEX_FILE: join(gitDir, 'no-index') };
}

/** First `:mode mode object object status`, name, for each file; then `added removed name` for each. */
function readChanges(parts: readonly Buffer[]): FileChange[] {
  const counts = new Map<string, string>();
  const changes: { readonly raw: string; readonly name: Buffer }[] = [];
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] as Buffer;
    if (part[0] === 58) {
      changes.push({ raw: part.toString('latin1'), name: parts[++at] as Buffer });
      continue;
    }
    const [added, removed, ...name] = part.toString('latin1').split('\t');
    counts.set(name.join('\t'), `${added} ${removed}`);
  }
  return changes.map(({ raw, name }) => changeOf(raw, name, counts.get(name.toString('latin1'))));
}

function changeOf(raw: string, name: Buffer, counted = '- -'): FileChange {
  const [modeBefore = '', modeAfter = '', objectBefore = '', objectAfter = '', letter = ''] = raw.slice(1).split(' ');
  const [added, removed] = counted.split(' ').map((count) => (count === '-' ? null : Number(count)));
  return {
    path: name.toString('utf8'),
    name: Buffer.from(name),
    status: STATUSES[letter] ?? 'modified',
    before: versionOf(modeBefore, objectBefore),
    after: versionOf(modeAfter, objectAfter),
    added: added ?? null,
    removed: removed ?? null,
  };
}

/** The version behind the mode and object that git prints; null where there is no file. */
export function versionOf(mode: string, object: string): FileVersion | null {
  return mode === '000000' ? null : { mode, object };
}
