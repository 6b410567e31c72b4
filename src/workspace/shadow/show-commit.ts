import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../../domain/repository.ts';
import { holdFolderOf, inFolderOf } from '../../platform/held-folder.ts';
import { git } from '../git.ts';
import { readRef } from '../read-head.ts';
import { lastShown, type NamedCommit, nameCommit, noteShown, type ObjectStore } from './object-store.ts';
import type { PrivateRepository } from './private-repository.ts';

const { O_WRONLY, O_CREAT, O_TRUNC } = constants;
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** Adds new objects to Baton's own store. */
export function takeIn({ objects }: ObjectStore, intake: string): void {
  for (const name of filesIn(intake)) {
    const [folder = ''] = name.split('/');
    if (!existsSync(join(objects, folder))) mkdirSync(join(objects, folder), { mode: 0o700 });
    if (!existsSync(join(objects, name))) secondName(join(intake, name), join(objects, name));
  }
}

/** Adds an object of the store to the new ones, so that it is copied into the repository too. */
export function bringAlong({ objects }: ObjectStore, intake: string, object: string): void {
  const name = join(object.slice(0, 2), object.slice(2));
  if (!existsSync(join(objects, name)) || existsSync(join(intake, name))) return;
  mkdirSync(join(intake, object.slice(0, 2)), { recursive: true, mode: 0o700 });
  secondName(join(objects, name), join(intake, name));
}

function secondName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch {
    // A disk without links.
    copyFileSync(file, name);
  }
}

/**
 * Copies new objects into the repository, so that its own git can read Baton's refs. Follows no link; false where the
 * repository is broken.
 */
export async function showObjects({ commonDir }: Repository, intake: string): Promise<boolean> {
  // An index of a pack comes after what it is about.
  const names = filesIn(intake).sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));
  for (const name of names) {
    const held = holdFolderOf(join(commonDir, 'objects'), Buffer.from(name), { isMade: true });
    if (!held) return false;
    const { folder, last } = held;
    try {
      const draft = folder.at(Buffer.from(`tmp_obj_baton_${last}`));
      // A copy, never a second name of the same file: who may write the one could write the other.
      await copyFile(join(intake, name), draft, constants.COPYFILE_FICLONE);
      renameSync(draft, folder.at(last));
    } catch (error) {
      return isInTheWay(error);
    } finally {
      folder.close();
    }
  }
  return true;
}

/** Writes a ref as git would. False where the repository has no folder for refs. */
async function showRef(repository: Repository, ref: string, commit: string): Promise<boolean> {
  const { commonDir, gitDir, root } = repository;
  if (existsSync(join(commonDir, 'reftable'))) {
    await git({ gitDir, workTree: root }, { args: ['update-ref', '--no-deref', ref, commit] });
    return true;
  }
  if (!existsSync(join(commonDir, 'refs'))) return false;
  try {
    return writeRef(commonDir, ref, commit);
  } catch (error) {
    return isInTheWay(error);
  }
}

/** An error of the file system means that the repository cannot be shown the commit; the store has it anyway. */
function isInTheWay(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  return false;
}

function writeRef(commonDir: string, ref: string, commit: string): boolean {
  const isWritten = inFolderOf(commonDir, Buffer.from(ref), {
    isMade: true,
    do: (folder, last) => {
      const draft = folder.at(Buffer.concat([last, Buffer.from('.lock')]));
      const file = openSync(draft, O_WRONLY | O_CREAT | O_TRUNC | NO_LINK, 0o644);
      try {
        writeSync(file, `${commit}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(draft, folder.at(last));
      return true;
    },
  });
  return isWritten ?? false;
}

function filesIn(intake: string): string[] {
  return readdirSync(intake, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(intake, name)).map((file) => `${name}/${file}`))
    .filter((name) => !name.startsWith('info/') && !/(^|\/)tmp_/.test(name));
}

/** Names a commit in the store and in the repository; HEAD too, which must survive when its branch moves on. */
export async function keepCommit(
  own: PrivateRepository,
  repository: Repository | null,
  named: NamedCommit,
): Promise<void> {
  const { ref, commit } = named;
  nameCommit(own.store, named);
  // A ref to missing objects would break the repository for its own git; the next shadow brings all objects.
  const isShown = repository !== null && (await showRef(repository, ref, commit));
  noteShown(own.store, isShown ? { ref, commit } : null);
}

/** False where the repository lost Baton's last ref, and perhaps its objects: all are then copied again. */
export function isStillShown({ store }: PrivateRepository, repository: Repository): boolean {
  const last = lastShown(store);
  return last === null || readRef(repository, last.ref) === last.commit;
}
