import { type GitPlace, git, gitLine, splitAtNul } from './git.ts';

export interface ThreeTrees {
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
}

export type Merged =
  | { readonly kind: 'merged'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/** What both did since the base, in one tree; no file and no index is touched. */
export async function mergeTrees(own: GitPlace, { base, ours, theirs }: ThreeTrees): Promise<Merged> {
  // Git finds the base in the history, so the three get one of their own.
  const root = await commitOf(own, base, []);
  const [left, right] = await Promise.all([commitOf(own, ours, [root]), commitOf(own, theirs, [root])]);
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', left, right];
  const { stdout, exitCode } = await git(own, { args, exitCodes: [0, 1] });
  const [tree, ...names] = [...splitAtNul(stdout)].map(String);
  if (exitCode === 0) return { kind: 'merged', tree: (tree ?? '').trim() };
  return { kind: 'conflict', paths: [...new Set(names.filter((name) => name !== ''))].sort() };
}

const LONG_AGO = { GIT_AUTHOR_DATE: '@86400 +0000', GIT_COMMITTER_DATE: '@86400 +0000' };

function commitOf(own: GitPlace, tree: string, parents: readonly string[]): Promise<string> {
  const args = ['commit-tree', `${tree}^{tree}`, ...parents.flatMap((parent) => ['-p', parent]), '-m', 'merge'];
  return gitLine(own, { args, env: LONG_AGO });
}
