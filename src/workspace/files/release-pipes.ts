import { closeSync, constants, existsSync, lstatSync, openSync, realpathSync, unlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SEARCHED_FOLDERS_MAX } from '../../domain/limits.ts';
import { inFolderOfPath } from '../../platform/files/held-folder.ts';

const LISTS = ['.gitignore', '.gitattributes'];
const WRITE_AT_ONCE = constants.O_WRONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Takes away pipes that stand where git reads a file, in its folder or as one of its lists: git would wait for ever for
 * somebody to write. Who waits already is let go. Nothing else is touched, and no link is followed.
 */
export async function releasePipes(root: string): Promise<void> {
  const folders = [{ path: existsSync(root) ? realpathSync(root) : root, isGits: false }];
  for (let seen = 0; folders.length > 0 && seen < SEARCHED_FOLDERS_MAX; seen++) {
    const { path, isGits } = folders.pop() as { path: string; isGits: boolean };
    for (const entry of await entriesOf(path)) {
      const inner = join(path, entry.name);
      if (entry.isDirectory()) folders.push({ path: inner, isGits: isGits || entry.name === '.git' });
      else if (entry.isFIFO() && (isGits || LISTS.includes(entry.name))) release(inner);
    }
  }
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // Gone, or closed to this user: then git does not read it either.
    return [];
  }
}

/** Through held folders, and only if it is still a pipe: the agent may be running, and put a link or a file there. */
function release(pipe: string): void {
  inFolderOfPath(pipe, (folder, last) => {
    if (!lstatSync(folder.at(last), { throwIfNoEntry: false })?.isFIFO()) return;
    try {
      closeSync(openSync(folder.at(last), WRITE_AT_ONCE));
    } catch {
      // Nobody waits on it.
    }
    unlinkSync(folder.at(last));
  });
}
