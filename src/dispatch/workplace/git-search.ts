import { relative } from 'node:path';
import type { GitChanges, GitSearch } from '../../domain/execution/findings.ts';
import type { Order } from '../../domain/order.ts';
import { isWithin } from '../../domain/path-text.ts';
import { type FoundExecuted, searchExecuted } from '../../workspace/executed-by-git/search-executed.ts';
import { realPathOf } from '../../workspace/resolve-path.ts';
import type { OpenOrder } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { gitChangesAfter } from './git-changes.ts';
import { realFolder, type WorkFolder } from './work-folder.ts';

const NOT_LOOKED_AT_MAX = 20;

export type GitSearchAfter = GitSearch & GitChanges & Pick<FoundExecuted, 'rules'>;

/** Finds the changes of git itself since before the work, and new or changed files that git executes. */
export async function searchAfter(world: RunWorld, at: OpenOrder, folder: WorkFolder): Promise<GitSearchAfter> {
  const { order, snapshotted } = at.execution;
  // The facts of an older version have nothing to compare with.
  if (snapshotted?.gitInventory === undefined) return { rules: undefined };
  const [found, changes] = await Promise.all([
    searchExecuted(searchPlaceOf(world, order, folder), snapshotted.gitInventory),
    gitChangesAfter(world, at, folder),
  ]);
  const named = (path: string) => nameOf(path, order, folder);
  const rest = found.notSeen.length - NOT_LOOKED_AT_MAX;
  return {
    executedByGit: found.executed.map(({ path, reason }) => ({ path: named(path), reason })),
    notLookedAt: [
      ...found.notSeen.slice(0, NOT_LOOKED_AT_MAX).map(named),
      ...(rest > 0 ? [`${rest} more folders`] : []),
    ],
    rules: found.rules,
    ...changes,
  };
}

/** All folders that the agent may write, and the whole repository, which it may write without a sandbox. */
export function searchPlaceOf({ dataFolder, environment }: RunWorld, order: Order, folder: WorkFolder) {
  const { repository, shadows, mounts } = folder;
  const root = shadows?.root ?? realFolder(order);
  const shown = (path: string) => {
    const above = mounts.find(({ at }) => isWithin(at, path));
    return above ? above.from + path.slice(above.at.length) : path;
  };
  const writable = order.access.writePaths.flatMap((path) => realPathOf(path, order.workspaceRoot) ?? []);
  const folders = [root, ...writable.map((path) => shown(path.replace(/(.)\/$/, '$1')))];
  const user = { home: environment.HOME ?? null, config: environment.XDG_CONFIG_HOME ?? null };
  return { repository, root, folders, dataFolder, user, shadows };
}

/** A path as the order's workspace names it, also where the work was done in a worktree. */
function nameOf(path: string, order: Order, { repository, shadows }: WorkFolder): string {
  const root = shadows?.root;
  const whole = repository && root && isWithin(root, path) ? repository.root + path.slice(root.length) : path;
  const workspace = realFolder(order);
  return isWithin(workspace, whole) ? relative(workspace, whole) || '.' : whole;
}
