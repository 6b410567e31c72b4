import { OVERLAP_PATHS_PER_CALL_MAX } from '../domain/session/session-limits.ts';
import type { Repository } from '../domain/work/repository.ts';
import { git, splitAtNul } from './git.ts';
import { readHead } from './read-head.ts';
import { filtersOff } from './repository-status.ts';

/** The files that differ between the user's folder and a commit: uncommitted, untracked, or committed since. */
export async function findDiffering(
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const asked = paths.slice(0, OVERLAP_PATHS_PER_CALL_MAX);
  if (asked.length === 0) return new Set();
  const place = { gitDir: repository.gitDir, workTree: repository.root };
  const status = ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames', '--ignore-submodules=all'];
  const changed = await git(place, { args: [...status, '--', ...asked], env: await filtersOff(place) });
  // Each begins with two letters and a blank.
  const uncommitted = [...splitAtNul(changed.stdout)].map((part) => part.toString('utf8').slice(3));
  const head = await readHead(repository);
  if (head === null || head === commit) return new Set(uncommitted);
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', commit, head, '--', ...asked];
  const committed = await git(place, { args });
  return new Set([...uncommitted, ...[...splitAtNul(committed.stdout)].map((part) => part.toString('utf8'))]);
}
