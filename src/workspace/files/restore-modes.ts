import { chmodSync, lstatSync } from 'node:fs';
import { type FileModes, modeIn } from './file-modes.ts';
import { inFolderOf } from './held-folder.ts';

export interface ThreeModes {
  readonly before: FileModes;
  readonly after: FileModes;
  readonly present: FileModes;
}

/** Gives files whose mode alone was changed by a run the one they had; what was changed since is left. */
export function restoreModes(root: string, modes: ThreeModes, without: ReadonlySet<string>): void {
  const { before, after, present } = modes;
  const names = new Set([before, after].flatMap(({ other }) => Object.keys(other)));
  for (const text of names) {
    const name = Buffer.from(text, 'latin1');
    if (without.has(name.toString('utf8'))) continue;
    inFolderOf(root, name, {
      isMade: false,
      do: (folder, last) => {
        const stats = lstatSync(folder.at(last), { throwIfNoEntry: false });
        if (!stats?.isFile()) return;
        const isExecutable = (stats.mode & 0o111) !== 0;
        const [was, left, is] = [before, after, present].map((each) => modeIn(each, name, isExecutable));
        if (was !== undefined && was !== is && left === is) chmodSync(folder.at(last), was);
      },
    });
  }
}
