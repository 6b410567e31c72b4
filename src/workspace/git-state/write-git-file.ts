import { closeSync, constants, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { inFolderOf } from '../../platform/files/held-folder.ts';
import { WorkspaceFault } from '../workspace-fault.ts';

const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const USUAL_MODE = 0o644;

/** Replaces a file of a git folder by a lock, as git does; null removes it. No link is followed. */
export function writeGitFile(gitFolder: string, name: string, content: string | Buffer | null): void {
  const isDone = inFolderOf(gitFolder, Buffer.from(name), {
    isMade: content !== null,
    do: (folder, last) => {
      const stats = lstatSync(folder.at(last), { throwIfNoEntry: false });
      if (content === null) {
        rmSync(folder.at(last), { force: true });
        return true;
      }
      const draft = folder.at(Buffer.concat([last, Buffer.from('.lock')]));
      const file = openSync(draft, FLAGS, (stats?.mode ?? USUAL_MODE) & 0o777);
      try {
        const bytes = Buffer.from(content);
        for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      } finally {
        closeSync(file);
      }
      renameSync(draft, folder.at(last));
      return true;
    },
  });
  if (isDone || content === null) return;
  const message = `${gitFolder}/${name} lies behind a link or a file`;
  throw new WorkspaceFault('put back git', message, { retryable: true });
}
