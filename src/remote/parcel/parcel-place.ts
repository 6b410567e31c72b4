import { join } from 'node:path';
import { findRepository } from '../../workspace/find-repository.ts';
import type { ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import { type NamedFolder, openFolderRepository } from './folder-repository.ts';
import type { Parcel } from './parcel.ts';

export interface ParcelPlace {
  readonly kind: Parcel['kind'];
  readonly place: ShadowPlace;
}

/** The place of a task's files: the user's repository, or one of Baton's own for a folder without. */
export function parcelPlace(named: NamedFolder): ParcelPlace {
  const { dataFolder, workspaceRoot } = named;
  const kept = { dataFolder, keptFolder: join(dataFolder, 'shadows') };
  const found = findRepository(workspaceRoot);
  const repository = found ?? openFolderRepository(named);
  return { kind: found === null ? 'files' : 'git', place: { ...kept, repository, root: repository.root } };
}
