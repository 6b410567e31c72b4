import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { GitChanges } from '../../domain/execution/findings.ts';
import { findGitChanges, recordGitState, type StatePlace } from '../../workspace/git-state/find-git-changes.ts';
import type { RunWorld } from '../run-world.ts';
import type { WorkFolder } from './work-folder.ts';

/** Saves the state of git itself before the work; null without git. */
export async function recordState(world: RunWorld, folder: WorkFolder): Promise<string | null> {
  const place = statePlace(world, folder);
  return place && (await recordGitState(place));
}

/** In a worktree the stash and the index are the agent's own: only its commits, branches and tags can be of use later. */
const USEFUL_LATER = ['head', 'branch', 'tag'];

/** Finds what the work did to git itself. */
export async function gitChangesAfter(
  world: RunWorld,
  folder: WorkFolder,
  before: string | undefined,
): Promise<GitChanges> {
  const place = statePlace(world, folder);
  if (place === null || before === undefined) return {};
  const found = await findGitChanges(place, before);
  if (!isWorktree(folder)) return found;
  return { ...found, gitChanges: found.gitChanges.filter(({ kind }) => USEFUL_LATER.includes(kind)) };
}

/** A worktree is a repository of its own. */
function statePlace({ dataFolder }: RunWorld, folder: WorkFolder): StatePlace | null {
  const { repository, shadows } = folder;
  if (repository === null || shadows === null) return null;
  if (!isWorktree(folder)) return { repository, dataFolder };
  const root = realpathSync(shadows.root);
  return { repository: { root, gitDir: join(root, '.git'), commonDir: join(root, '.git') }, dataFolder };
}

function isWorktree({ repository, shadows }: WorkFolder): boolean {
  return shadows?.root !== repository?.root;
}
