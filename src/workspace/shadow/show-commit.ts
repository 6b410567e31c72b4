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
import { holdFolderOf, inFolderOf } from '../files/held-folder.ts';
import { git } from '../git.ts';
import type { ObjectStore } from './object-store.ts';

const { O_WRONLY, O_CREAT, O_TRUNC } = constants;
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** Takes the objects that were just made into Baton's own store. */
export function takeIn({ objects }: ObjectStore, intake: string): void {
  for (const name of filesIn(intake)) {
    const [folder = ''] = name.split('/');
    if (!existsSync(join(objects, folder))) mkdirSync(join(objects, folder), { mode: 0o700 });
    if (!existsSync(join(objects, name))) secondName(join(intake, name), join(objects, name));
  }
}

/** Puts an object of the store beside those that were just made, so that it is shown with them. */
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
 * Puts the objects that were just made into the repository too, so that its own git knows what a ref of Baton's names. No
 * link is followed; where a repository was broken there is nobody to show it to, and false.
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

/** A ref, as git itself would write it. False where the repository has no place for it any more. */
export async function showRef(repository: Repository, ref: string, commit: string): Promise<boolean> {
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

/** What the system refuses is an answer: it cannot be shown. The store has it all the same. */
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
