import { lstatSync } from 'node:fs';
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

/** The folders and mounts of an order's work. */
export interface WorkFolder {
  /** The repository of the workspace; null without git. */
  readonly repository: Repository | null;
  /** The folder whose files are recorded as shadow commits; null without git. */
  readonly shadows: ShadowPlace | null;
  /** Folders that the sandbox shows to the agent at another path, and those of them that it may read. */
  readonly mounts: readonly { readonly from: string; readonly at: string }[];
  readonly readPaths: readonly string[];
  /** Read-only although a write path contains them. */
  readonly readOnlyPaths?: readonly string[];
}

export interface FolderQuestion {
  readonly order: Pick<Order, 'workspaceRoot'>;
  readonly workplace: Workplace;
  readonly dataFolder: string;
  /** The commit of the worktree. */
  readonly head?: string | null;
  /** As recorded before the work; undefined searches for it. */
  readonly repository?: Repository | null | undefined;
}

/** The work folder of an order that has started. */
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
  const shadows = shadowsOf({ workplace, dataFolder, head, repository });
  if (workplace.kind === 'in-place') return { repository, shadows, mounts: [], readPaths: [] };
  const shared = sharedMounts(workplace, repository);
  // The inner ones come first: a path is looked for in the first mount that has it.
  const mounts = [
    ...shared,
    { from: workplace.folder, at: repository.root },
    { from: objectsOf(repository), at: OBJECTS_SHOWN_AT },
  ];
  return { repository, shadows, mounts, readPaths: [OBJECTS_SHOWN_AT], readOnlyPaths: shared.map(({ at }) => at) };
}

/** Dependencies of the user's checkout that the worktree shows; those that were removed since are left out. */
function sharedMounts({ shared = [] }: { readonly shared?: readonly string[] }, { root }: Repository) {
  const folders = shared.map((path) => join(root, path));
  return folders
    .filter((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory())
    .map((folder) => ({ from: folder, at: folder }));
}

/** The folder of a workplace whose files are recorded as shadow commits. */
export function shadowsOf({
  workplace,
  dataFolder,
  head = null,
  repository,
}: Omit<FolderQuestion, 'order'> & { readonly repository: Repository }): ShadowPlace {
  const kept = { repository, keptFolder: join(dataFolder, 'shadows'), dataFolder };
  if (workplace.kind === 'in-place') return { ...kept, root: repository.root };
  return { ...kept, root: workplace.folder, ...(head !== null && { head }) };
}

/** Maps the paths that the agent of an order uses to files of this machine. */
export function placesOf(world: RunWorld, execution: Execution): WorkspacePlaces {
  return placesIn(execution.order, folderOfExecution(execution, world.dataFolder));
}

/** Checks may read every path that the order grants for reading or writing. */
export function placesIn({ workspaceRoot, access }: Order, { mounts }: WorkFolder): WorkspacePlaces {
  return { workspaceRoot, readPaths: [...access.readPaths, ...access.writePaths], mounts };
}
