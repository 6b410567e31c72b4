import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Execution } from '../../domain/execution/execution.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import type { ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import { makeScratch, type Scratch, type ScratchFiles } from '../../workspace/worktree/make-scratch.ts';
import { OBJECTS_SHOWN_AT } from '../../workspace/worktree/make-worktree.ts';
import { removeWorktree } from '../../workspace/worktree/remove-worktree.ts';
import type { WorkWorld } from '../work-world.ts';
import { realFolder, type WorkFolder } from './work-folder.ts';

const SCRATCH = 'scratch';

export interface ScratchRequest {
  readonly work: Pick<OpenOrder, 'task' | 'round' | 'execution'>;
  /** The work folder of the order, and its place of shadows. */
  readonly folder: WorkFolder;
  readonly shadows: ShadowPlace;
  readonly wanted: Omit<ScratchFiles, 'folder'>;
}

/** An order whose checks run in a scratch copy. */
interface ScratchCopy {
  readonly execution: Execution;
  readonly folder: WorkFolder;
}

/** Makes a scratch copy of the work, uses it and removes it. */
export async function inScratch<Result>(
  world: WorkWorld,
  { work, folder, shadows, wanted }: ScratchRequest,
  use: (copy: ScratchCopy) => Promise<Result>,
): Promise<Result> {
  const { execution, task, round } = work;
  const path = join(world.dataFolder, SCRATCH, `${task.id}-${round}`);
  makeFoldersIn(world.dataFolder, dirname(path));
  try {
    const made = await makeScratch(shadows, { folder: path, ...wanted });
    const copyOf = execution.admitted?.sandbox === 'none' ? besideWorkspace : inPlaceOfWorkspace;
    return await use(copyOf({ execution, folder, made }));
  } finally {
    removeWorktree(path);
  }
}

/** Removes scratch copies that a killed node left behind. */
export function tidyScratch({ dataFolder }: WorkWorld): void {
  rmSync(join(dataFolder, SCRATCH), { recursive: true, force: true });
}

interface MadeCopy extends ScratchCopy {
  readonly made: Scratch;
}

/** In a sandbox the copy has the path of the workspace. Ignored folders are those of the workspace, for reading only. */
function inPlaceOfWorkspace({ execution, folder, made }: MadeCopy): ScratchCopy {
  const { repository, shadows } = folder;
  const { order } = execution;
  const [root, from] = [repository?.root ?? '', shadows?.root ?? ''];
  const shared = folder.mounts.filter(({ at }) => folder.readOnlyPaths?.includes(at));
  const own = made.ignoredFolders.map((path) => ({ from: join(from, path), at: join(root, path) }));
  const ignored = [...shared, ...own.filter(({ at }) => !shared.some((mount) => mount.at === at))];
  for (const { at } of shared) mkdirSync(join(made.folder, relative(root, at)), { recursive: true });
  const objects = { from: join(repository?.commonDir ?? '', 'objects'), at: OBJECTS_SHOWN_AT };
  const readOnlyPaths = [...order.access.readOnlyPaths, ...ignored.map(({ at }) => at)];
  return {
    execution: { ...execution, order: { ...order, access: { ...order.access, readOnlyPaths } } },
    folder: {
      repository,
      shadows: null,
      mounts: [...ignored, { from: made.folder, at: root }, objects],
      readPaths: [OBJECTS_SHOWN_AT, ...folder.readPaths.filter((path) => path === root)],
    },
  };
}

/** Without a sandbox the checks run in the copy itself; its ignored folders are links to those of the workspace. */
function besideWorkspace({ execution, folder, made }: MadeCopy): ScratchCopy {
  const { order } = execution;
  for (const path of made.ignoredFolders) {
    mkdirSync(dirname(join(made.folder, path)), { recursive: true });
    symlinkSync(join(folder.shadows?.root ?? '', path), join(made.folder, path));
  }
  const inside = relative(folder.repository?.root ?? '', realFolder(order));
  return {
    execution: { ...execution, order: { ...order, workspaceRoot: join(made.folder, inside) } },
    folder: { repository: null, shadows: null, mounts: [], readPaths: [] },
  };
}
