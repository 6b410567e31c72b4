import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../../domain/work/repository.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { type GitPlace, git, gitLine, splitAtNul } from '../git.ts';
import { readRepositorySettings } from '../repository-settings.ts';
import { NO_BRANCH, type PrivateRepository } from '../shadow/private-repository.ts';

export interface ThreeTrees {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

export type TreeMerge =
  | { readonly kind: 'merged'; readonly tree: string }
  /** The tree has what could be merged; the named files hold both sides. */
  | { readonly kind: 'conflict'; readonly tree: string; readonly paths: readonly string[] };

/** Merges what both sides changed since the base into one tree; touches no file and no index. */
export async function mergeTrees(
  own: GitPlace,
  { base, ours, theirs }: ThreeTrees,
  { followsRenames = true }: { readonly followsRenames?: boolean } = {},
): Promise<TreeMerge> {
  // Git takes the base from the history, so the three trees get a history of their own.
  const root = await commitOf(own, base, []);
  const [left, right] = await Promise.all([commitOf(own, ours, [root]), commitOf(own, theirs, [root])]);
  const flags = ['--write-tree', '-z', '--name-only', '--no-messages'];
  const args = ['-c', `merge.renames=${followsRenames}`, 'merge-tree', ...flags, left, right];
  const { stdout, exitCode } = await git(own, { args, exitCodes: [0, 1] });
  const [first = '', ...names] = [...splitAtNul(stdout)].map(String);
  const tree = first.trim();
  if (exitCode === 0) return { kind: 'merged', tree };
  return { kind: 'conflict', tree, paths: [...new Set(names.filter((name) => name !== ''))].sort() };
}

/** The paths of a conflict as people know them: git names a file in the way of another kind after the commit that has it. */
export function knownPaths(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map((path) => path.replace(/~[0-9a-f]{40,64}(_\d+)?$/, '')))];
}

const LONG_AGO = { GIT_AUTHOR_DATE: '@86400 +0000', GIT_COMMITTER_DATE: '@86400 +0000' };

function commitOf(own: GitPlace, tree: string, parents: readonly string[]): Promise<string> {
  const args = ['commit-tree', `${tree}^{tree}`, ...parents.flatMap((parent) => ['-p', parent]), '-m', 'merge'];
  return gitLine(own, { args, env: LONG_AGO });
}

const SETTINGS = ['core.autocrlf', 'core.eol'];

/**
 * A private repository that converts line ends as the user's git does, by .gitattributes and settings: a merge with a commit
 * of theirs needs the same line ends. It knows no filter, so none is run.
 */
export async function lineEndPlace(own: PrivateRepository, repository: Repository): Promise<GitPlace> {
  const folder = join(own.folder, 'turning');
  for (const name of ['refs', 'objects']) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  replaceFile(join(folder, 'HEAD'), NO_BRANCH, { isSynced: false });
  const theirs = await readRepositorySettings({ gitDir: repository.gitDir, workTree: repository.root });
  const set = SETTINGS.map((name) => [name, theirs.own.get(name) ?? theirs.global.get(name)] as const);
  const known = [['merge.renormalize', 'true'] as const, ...set].filter(([, value]) => value !== undefined);
  const env: Record<string, string | undefined> = { ...own.place.env, GIT_CONFIG_COUNT: String(known.length) };
  for (const [at, [name, value]] of known.entries()) {
    env[`GIT_CONFIG_KEY_${at}`] = name;
    env[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  return { gitDir: folder, workTree: own.folder, env };
}
