import { join } from 'node:path';
import type { WorkspacePlaces } from '../../checks/workspace-places.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { Workplace } from '../../domain/execution/findings.ts';
import type { Order } from '../../domain/order.ts';
import type { Repository } from '../../domain/repository.ts';
import { findRepository } from '../../workspace/find-repository.ts';
import { objectsOf, type ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import { OBJECTS_SHOWN_AT } from '../../workspace/worktree/make-worktree.ts';
import type { RunWorld } from '../run-world.ts';

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
  /** As it was found before the work; looked for where that is not known. */
  readonly repository?: Repository | null | undefined;
}

/** Where an order is being worked on, or was. */
export function folderOfExecution(
  { order, snapshotted }: Pick<Execution, 'order' | 'snapshotted'>,
  dataFolder: string,
) {
  const { workplace = { kind: 'in-place' }, head = null, repository } = snapshotted ?? {};
  return workFolderOf({ order, workplace, dataFolder, head, repository });
}

export function workFolderOf(question: FolderQuestion): WorkFolder {
  const { order, workplace, dataFolder, head = null } = question;
  const repository = question.repository === undefined ? findRepository(order.workspaceRoot) : question.repository;
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

/** Where the files of an order are, in the paths its agent knows. */
export function placesOf(world: RunWorld, execution: Execution): WorkspacePlaces {
  return placesIn(execution.order, folderOfExecution(execution, world.dataFolder));
}

/** What may be written may be looked at too. */
export function placesIn({ workspaceRoot, access }: Order, { mounts }: WorkFolder): WorkspacePlaces {
  return { workspaceRoot, readPaths: [...access.readPaths, ...access.writePaths], mounts };
}
