import { join } from 'node:path';
import type { Workplace } from '../domain/execution/fact.ts';
import type { Order } from '../domain/order.ts';
import { findRepository, type Repository } from '../workspace/find-repository.ts';
import { objectsOf, type ShadowPlace } from '../workspace/shadow/private-repository.ts';
import { OBJECTS_SHOWN_AT } from '../workspace/worktree/make-worktree.ts';

/** Where the work of an order is done. */
export interface WorkFolder {
  /** The repository that the workspace lies in; null without git. */
  readonly repository: Repository | null;
  /** How its files are recorded; null without git. */
  readonly shadows: ShadowPlace | null;
  /** What is shown to the agent in the place of something else, and what of it is read. */
  readonly mounts: readonly { readonly from: string; readonly at: string }[];
  readonly readPaths: readonly string[];
}

export interface FolderQuestion {
  readonly order: Pick<Order, 'workspaceRoot'>;
  readonly workplace: Workplace;
  readonly dataFolder: string;
  /** The commit that a worktree was made from. */
  readonly head?: string | null;
}

export function workFolderOf({ order, workplace, dataFolder, head = null }: FolderQuestion): WorkFolder {
  const repository = findRepository(order.workspaceRoot);
  if (repository === null) return { repository, shadows: null, mounts: [], readPaths: [] };
  const kept = { repository, keptFolder: join(dataFolder, 'shadows'), dataFolder };
  if (workplace.kind === 'in-place') {
    return { repository, shadows: { ...kept, root: repository.root }, mounts: [], readPaths: [] };
  }
  const shadows = { ...kept, root: workplace.folder, ...(head !== null && { head }) };
  const mounts = [
    { from: workplace.folder, at: repository.root },
    { from: objectsOf(repository), at: OBJECTS_SHOWN_AT },
  ];
  return { repository, shadows, mounts, readPaths: [OBJECTS_SHOWN_AT] };
}
