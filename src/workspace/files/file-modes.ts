import { chmodSync, lstatSync } from 'node:fs';
import { inFolderOf } from '../../platform/files/held-folder.ts';

/** Permissions of files. Git itself records only whether a file is executable. */
export interface FileModes {
  /** The modes of plain and of executable files that `other` does not list. */
  readonly usual: { readonly plain: number; readonly executable: number };
  /** By name, one character a byte. */
  readonly other: Readonly<Record<string, number>>;
}

/** Modes as they were written; null where there are none, or the text was cut short. */
export function readFileModes<Modes extends FileModes>(text: string | null): Modes | null {
  try {
    const modes = JSON.parse(text ?? 'null') as Modes | null;
    return typeof modes?.usual?.plain === 'number' && typeof modes.other === 'object' ? modes : null;
  } catch {
    // Unknown modes are read from the files again.
    return null;
  }
}

/** The mode of a file. */
export function modeIn({ usual, other }: FileModes, name: Buffer, isExecutable: boolean): number {
  return other[name.toString('latin1')] ?? (isExecutable ? usual.executable : usual.plain);
}

export interface ThreeModes {
  readonly before: FileModes;
  readonly after: FileModes;
  readonly present: FileModes;
}

/** Restores the mode of files of which a run changed only the mode; a later change stays. */
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
