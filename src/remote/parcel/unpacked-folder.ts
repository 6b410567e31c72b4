import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { type Parcel, parcelDigest } from './parcel.ts';

export interface UnpackedFolder {
  readonly kind: 'unpacked';
  /** The folder of the work. */
  readonly workspace: string;
  readonly parcel: { readonly digest: string | null; readonly root: string };
  readonly has: readonly string[];
}

const NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$/;

/** The endings are those of files and drafts beside the folder. */
export function isFolderName(name: string): boolean {
  return NAME.test(name) && !/\.(new|gone|json|index)$/.test(name);
}

/** The folders into which the work of other nodes is unpacked. */
export function unpackedFolder(dataFolder: string): string {
  return join(dataFolder, 'travel', 'work');
}

interface UnpackedNote extends UnpackedFolder {
  readonly of: Parcel['kind'];
  /** Somebody may have worked in it, perhaps for a ledger that was replaced by an older one since. */
  readonly isHandedOut?: boolean;
}

/** The note about unpacked work; null where there is none. */
export function unpackedNote(root: string): UnpackedNote | null {
  const file = `${root}.json`;
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as UnpackedNote) : null;
}

/** A folder that was unpacked and not used yet; null where it has to be made. The note is written last. */
export function freshFolder(root: string): UnpackedFolder | null {
  const known = existsSync(root) ? unpackedNote(root) : null;
  if (known === null || known.isHandedOut) return null;
  const { of: _, ...unpacked } = known;
  return unpacked;
}

/** Work begins in the folder: unpacked again, it is made anew. */
export function handOut(root: string): void {
  const known = unpackedNote(root);
  if (known) replaceFile(`${root}.json`, JSON.stringify({ ...known, isHandedOut: true } satisfies UnpackedNote));
}

export function unpackedBefore(root: string, parcel: Parcel): UnpackedFolder | Refusal | null {
  const known = freshFolder(root);
  if (known === null || known.parcel.digest === parcelDigest(parcel)) return known;
  return refuse('file_exists', `${root} has the work of another parcel`);
}
