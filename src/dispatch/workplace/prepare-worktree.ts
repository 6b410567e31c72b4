import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Workplace } from '../../domain/execution/findings.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import type { Repository } from '../../domain/repository.ts';
import { readHead } from '../../workspace/read-head.ts';
import { hasFolder, makeWorktree } from '../../workspace/worktree/make-worktree.ts';
import { removeWorktree } from '../../workspace/worktree/remove-worktree.ts';
import type { OpenOrder } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { realFolder } from './order-paths.ts';
import { setUpWorktree } from './set-up-worktree.ts';

export const WORKTREES = 'worktrees';

interface Prepared {
  readonly workplace: Workplace;
  readonly head: string;
}

/** Makes a worktree of the user's HEAD and sets it up; null if HEAD does not contain the workspace. */
export async function prepareWorktree(
  world: RunWorld,
  at: OpenOrder & { readonly signal: AbortSignal },
  repository: Repository | null,
): Promise<Prepared | Refusal | null> {
  const head = repository && (await readHead(repository));
  if (!repository || !head || !(await hasFolder(repository, head, realFolder(at.execution.order)))) return null;
  const parent = join(world.dataFolder, WORKTREES);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const folder = join(parent, `${at.task.id}-${at.round}`);
  // An unfinished one of an earlier node.
  removeWorktree(folder);
  const { worktree, isShellAllowed } = at.execution.order;
  const { setup, include } = worktree;
  const made = await makeWorktree({ repository, folder, head, setup, include, isShellAllowed });
  if (isRefusal(made)) return made;
  const workplace = { kind: 'worktree', folder } as const;
  const shared = await setUpWorktree(world, at, { made, workplace, repository });
  if (isRefusal(shared)) {
    removeWorktree(folder);
    return shared;
  }
  return { workplace: shared.length === 0 ? workplace : { ...workplace, shared }, head };
}
