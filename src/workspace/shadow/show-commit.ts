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
import { join } from 'node:path';
import type { Repository } from '../../domain/repository.ts';
import { inFolderOf } from '../files/held-folder.ts';
import { git } from '../git.ts';
import type { ObjectStore } from './object-store.ts';

const { O_WRONLY, O_CREAT, O_TRUNC } = constants;
const NO_LINK = constants.O_NOFOLLOW ?? 0;

/** Takes the objects that were just made into Baton's own store. */
export function takeIn({ objects }: ObjectStore, intake: string): void {
  for (const name of filesIn(intake)) {
    const [folder = ''] = name.split('/');
    if (!existsSync(join(objects, folder))) mkdirSync(join(objects, folder), { mode: 0o700 });
    if (!existsSync(join(objects, name))) linkSync(join(intake, name), join(objects, name));
  }
}

/** Puts an object of the store beside those that were just made, so that it is shown with them. */
export function bringAlong({ objects }: ObjectStore, intake: string, object: string): void {
  const name = join(object.slice(0, 2), object.slice(2));
  if (!existsSync(join(objects, name)) || existsSync(join(intake, name))) return;
  mkdirSync(join(intake, object.slice(0, 2)), { recursive: true, mode: 0o700 });
  linkSync(join(objects, name), join(intake, name));
}

/**
 * Puts the objects that were just made into the repository too, so that its own git knows what a ref of Baton's names. No
 * link is followed; where a repository was broken there is nobody to show it to, and false.
 */
export function showObjects({ commonDir }: Repository, intake: string): boolean {
  // An index of a pack comes after what it is about.
  const names = filesIn(intake).sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));
  return names.every((name) =>
    inFolderOf(join(commonDir, 'objects'), Buffer.from(name), {
      isMade: true,
      do: (folder, last) => {
        const draft = folder.at(Buffer.from(`tmp_obj_baton_${last}`));
        copyFileSync(join(intake, name), draft);
        renameSync(draft, folder.at(last));
        return true;
      },
    }),
  );
}

/** A ref, as git itself would write it. False where the repository has no place for it any more. */
export async function showRef(repository: Repository, ref: string, commit: string): Promise<boolean> {
  const { commonDir, gitDir, root } = repository;
  if (existsSync(join(commonDir, 'reftable'))) {
    await git({ gitDir, workTree: root }, { args: ['update-ref', '--no-deref', ref, commit] });
    return true;
  }
  if (!existsSync(join(commonDir, 'refs'))) return false;
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
