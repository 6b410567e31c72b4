import { stat } from 'node:fs/promises';
import { findPlace, type WorkspacePlaces } from '../workspace-places.ts';
import { hashFile } from './hash-file.ts';
import type { CheckedFile, Receipt } from './receipt.ts';

export interface StaleFile {
  readonly path: string;
  readonly now: 'changed' | 'missing';
}

/** The files that are no longer as they were checked: where there are any, the receipt is stale. */
export async function findStaleFiles(
  { files }: Pick<Receipt, 'files'>,
  places: WorkspacePlaces,
): Promise<readonly StaleFile[]> {
  const stale: StaleFile[] = [];
  for (const file of files) {
    const now = await lookAgain(file, places);
    if (now !== 'same') stale.push({ path: file.path, now });
  }
  return stale;
}

async function lookAgain(file: CheckedFile, places: WorkspacePlaces): Promise<'same' | StaleFile['now']> {
  const place = findPlace(file.path, places);
  if (place.kind !== 'there') return place.kind === 'missing' ? 'missing' : 'changed';
  try {
    const { size, mtimeMs } = await stat(place.realPath);
    if (size !== file.size) return 'changed';
    if (Math.trunc(mtimeMs) === file.mtimeMs) return 'same';
    return (await hashFile(place.realPath))?.sha256 === file.sha256 ? 'same' : 'changed';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return code === 'ENOENT' ? 'missing' : 'changed';
  }
}
