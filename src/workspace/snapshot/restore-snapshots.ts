import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { KeptFile, RestoredFile } from '../../domain/execution/findings.ts';
import { isWithin } from '../../domain/work/path-text.ts';
import { syncPath } from '../../platform/files/durable-files.ts';
import { type HeldFolder, holdFolderOf } from '../../platform/files/held-folder.ts';
import { copyEntry } from '../files/copy-file.ts';
import { bytesFromGit } from './git-snapshots.ts';
import { keptFile, rememberedFolder, rememberedPlace, type SnapshotHome } from './snapshot-home.ts';

const DRAFT = Buffer.from('.baton-restore');

/**
 * Puts outputs back as they were: bytes, mode and links; what was not there is removed. Each by itself, so that one that
 * fails does not keep the others. What is as it was already is left alone; every snapshot stays where it is.
 */
export async function restoreSnapshots(home: SnapshotHome, kept: readonly KeptFile[]): Promise<RestoredFile[]> {
  const restored: RestoredFile[] = [];
  for (const one of kept)
    restored.push({ path: one.path, restoredFrom: one.keptAs, status: await statusOf(home, one) });
  return restored;
}

async function statusOf(home: SnapshotHome, kept: KeptFile): Promise<RestoredFile['status']> {
  try {
    return (await restoreOne(home, kept)) ? 'restored' : 'failed';
  } catch {
    // Whatever it was, the file is not back: it is told as failed, and its snapshot is kept.
    return 'failed';
  }
}

async function restoreOne(home: SnapshotHome, kept: KeptFile): Promise<boolean> {
  const file = rememberedPlace(keptFile(home, kept.path));
  if (file === null) return false;
  const held = holdFolderOf('/', Buffer.from(file.slice(1)), { isMade: kept.keptAs !== null });
  try {
    if (held) await restoreIn(held, kept, { home, file });
  } finally {
    held?.folder.close();
  }
  if (kept.keptAs === null) removeEmptyFolders(dirname(file), rememberedFolder(keptFile(home, kept.path)));
  return held !== null || kept.keptAs === null;
}

async function restoreIn(
  { folder, last }: NonNullable<ReturnType<typeof holdFolderOf>>,
  kept: KeptFile,
  { home, file }: { readonly home: SnapshotHome; readonly file: string },
): Promise<void> {
  if (kept.keptAs === null) rmSync(folder.at(last), { recursive: true, force: true });
  else await putBack(folder, last, await draftOf(home, kept, file));
  syncPath(folder.at(Buffer.from('.')).toString('utf8'));
}

/** Folders that came with the file go with it, as far up as none was there, unless something else lies in them. */
function removeEmptyFolders(folder: string, outermost: string | null): void {
  if (outermost === null || !isWithin(outermost, folder)) return;
  const held = holdFolderOf('/', Buffer.from(folder.slice(1)), { isMade: false });
  try {
    if (held) rmdirSync(held.folder.at(held.last));
  } catch (error) {
    // Something is left in it, or it is no folder: then it stays, and all above it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
  } finally {
    held?.folder.close();
  }
  removeEmptyFolders(dirname(folder), outermost);
}

/** Writes the state to go back to under the name it is given. */
type Draft = (to: string) => Promise<void>;

async function draftOf(home: SnapshotHome, kept: KeptFile, file: string): Promise<Draft> {
  const own = keptFile(home, kept.path);
  const as = kept.keptAs ?? '';
  const mode = kept.mode ?? 0o644;
  if (home.place && (as.startsWith('stash:') || kept.strategy === 'diff')) {
    const bytes = await bytesFromGit(home.place, file, { as, own, strategy: kept.strategy });
    return async (to) => {
      writeFileSync(to, bytes, { flag: 'wx', mode: 0o600 });
      chmodSync(to, mode);
      syncPath(to);
    };
  }
  if (!lstatSync(own, { throwIfNoEntry: false })) throw new Error(`the snapshot of ${kept.path} is gone`);
  return async (to) => {
    await copyEntry(own, to);
    if (!lstatSync(to).isSymbolicLink()) chmodSync(to, mode);
  };
}

/** Made ready beside it, then moved in one step; a folder cannot be moved over, so what stands there goes first. */
async function putBack(folder: HeldFolder, last: Buffer, draft: Draft): Promise<void> {
  const ready = folder.at(DRAFT).toString('utf8');
  const target = folder.at(last);
  rmSync(ready, { recursive: true, force: true });
  try {
    await draft(ready);
    if (isSame(ready, target.toString('utf8'))) return;
    const isFolder = (path: string | Buffer) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (isFolder(target) || isFolder(ready)) rmSync(target, { recursive: true, force: true });
    renameSync(ready, target);
  } finally {
    rmSync(ready, { recursive: true, force: true });
  }
}

/** The same bytes, modes and links, all the way down. */
function isSame(left: string, right: string): boolean {
  const [one, other] = [lstatSync(left), lstatSync(right, { throwIfNoEntry: false })];
  if (!other || one.mode !== other.mode) return false;
  if (one.isSymbolicLink()) return readlinkSync(left, 'buffer').equals(readlinkSync(right, 'buffer'));
  if (!one.isDirectory()) return one.size === other.size && readFileSync(left).equals(readFileSync(right));
  const names = readdirSync(left);
  return (
    readdirSync(right).length === names.length && names.every((name) => isSame(join(left, name), join(right, name)))
  );
}
