import { existsSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../domain/limits.ts';
import type { ParcelSweep, SweptParcels } from '../../work/clean.ts';
import { ownFolders } from '../../workspace/own-folders.ts';
import { forgetPrivateRepository } from '../../workspace/shadow/private-repository.ts';
import { removeWorktree } from '../../workspace/worktree/remove-worktree.ts';
import { storesFolder } from './parcel-store.ts';
import { unpackedFolder } from './unpacked-folder.ts';

/** A transfer that broke is not taken up again after this. */
const BROKEN_MS = 7 * DAY_MS;

/** Removes what travelled and is of no use any more: unpacked work, objects of other nodes, parts of parcels. */
export function sweepParcels(request: ParcelSweep): SweptParcels {
  const { dataFolder, isNeeded, isFolderNeeded, isDry, unusedMs } = request;
  const isOld = (path: string, ms: number) => request.nowMs - statSync(path).mtimeMs > ms;
  const unpacked = foldersIn(unpackedFolder(dataFolder)).filter((root) => !(isNeeded(root) ?? !isOld(root, unusedMs)));
  const old = [
    ...foldersIn(storesFolder(dataFolder)).filter((store) => isOld(store, unusedMs)),
    ...foldersIn(ownFolders(dataFolder)).filter((folder) => !isFolderNeeded(folder)),
    ...['incoming', 'outgoing'].flatMap((name) =>
      foldersIn(join(dataFolder, 'travel', name)).filter((folder) => isOld(folder, BROKEN_MS)),
    ),
  ];
  const bytes = [...unpacked, ...old].reduce((sum, folder) => sum + bytesIn(folder), 0);
  if (!isDry) {
    for (const root of unpacked) {
      rmSync(`${root}.json`, { force: true });
      removeWorktree(root);
      forgetPrivateRepository({ keptFolder: join(dataFolder, 'shadows'), root });
    }
    for (const folder of old) rmSync(folder, { recursive: true, force: true });
  }
  return { folders: unpacked.length, bytes };
}

function foldersIn(parent: string): readonly string[] {
  if (!existsSync(parent)) return [];
  const entries = readdirSync(parent, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(parent, name));
}

function bytesIn(folder: string): number {
  try {
    return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
      const path = join(folder, entry.name);
      return sum + (entry.isDirectory() ? bytesIn(path) : lstatSync(path).size);
    }, 0);
  } catch {
    // A folder that an agent closed is removed, but not counted.
    return 0;
  }
}
