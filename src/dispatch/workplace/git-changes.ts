import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { GitChanges } from '../../domain/execution/findings.ts';
import type { GitChange } from '../../domain/git-state.ts';
import { findGitChanges, recordGitState, type StatePlace } from '../../workspace/git-state/find-git-changes.ts';
import { keepCommits } from '../../workspace/keep-commits.ts';
import { shadowRef } from '../../workspace/shadow/take-shadow.ts';
import type { OpenOrder } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import type { WorkFolder } from './work-folder.ts';

/** Saves the state of git itself before the work; null without git. */
export async function recordState(world: RunWorld, folder: WorkFolder): Promise<string | null> {
  const place = statePlace(world, folder);
  return place && (await recordGitState(place));
}

/** In a worktree the stash and the index are the agent's own: only its commits, branches and tags can be of use later. */
const USEFUL_LATER = ['head', 'branch', 'tag'];

/** Finds what the work did to git itself, and keeps the commits that the agent made. */
export async function gitChangesAfter(world: RunWorld, at: OpenOrder, folder: WorkFolder): Promise<GitChanges> {
  const { gitState: before, head: base = null } = at.execution.snapshotted ?? {};
  const place = statePlace(world, folder);
  if (place === null || folder.shadows === null || before === undefined) return {};
  const found = await findGitChanges(place, before);
  if (found.gitChanges.length === 0) return found;
  const question = { base, repository: place.repository, ref: shadowRef(at.task.id, `${at.round}/commits`) };
  const ownCommits = await keepCommits(folder.shadows, question);
  const gitChanges = isWorktree(folder) ? found.gitChanges.filter(isUsefulLater) : found.gitChanges;
  return { ...found, gitChanges, ...(ownCommits && { ownCommits }) };
}

function isUsefulLater({ kind }: GitChange): boolean {
  return USEFUL_LATER.includes(kind);
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
