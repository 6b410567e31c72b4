import { lstatSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { INCLUDED_FILES_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { holdFolderOf } from '../../platform/files/held-folder.ts';
import { copyFile } from '../files/copy-file.ts';
import { resolveInside } from '../resolve-inside.ts';

export interface IncludedFiles {
  readonly included: readonly string[];
  /** Named by the configuration and not there: an .env need not be. */
  readonly missing: readonly string[];
}

/** Copies files that git does not track, such as .env, into the new worktree. */
export async function includeFiles(
  from: string,
  to: string,
  include: readonly string[],
): Promise<IncludedFiles | Refusal> {
  const included: string[] = [];
  const missing: string[] = [];
  for (const path of include) {
    const real = resolveInside(from, path);
    if (isRefusal(real)) return { ...real, code: 'invalid_argument', message: `worktree.include: ${real.message}` };
    const files = filesAt(real);
    if (files === null) missing.push(path);
    for (const file of files ?? []) {
      const name = join(path, relative(real, file));
      if (included.length === INCLUDED_FILES_MAX) return refuse('invalid_argument', 'worktree.include: too many files');
      if (!(await copyInto(to, name, file)))
        return refuse('invalid_argument', `worktree.include: ${name} is in the way`);
      included.push(name);
    }
  }
  return { included, missing };
}

/** Files and links; a link in a folder stays a link and is not followed. Null where there is nothing. */
function filesAt(path: string): string[] | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return null;
  return stats.isDirectory() ? filesBelow(path) : stats.isFile() ? [path] : [];
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() || entry.isSymbolicLink() ? [path] : [];
  });
}

async function copyInto(root: string, name: string, file: string): Promise<boolean> {
  const held = holdFolderOf(root, Buffer.from(name), { isMade: true });
  if (!held) return false;
  const { folder, last } = held;
  try {
    // A file that git has, too, stays as git has it.
    if (lstatSync(folder.at(last), { throwIfNoEntry: false })) return true;
    const isLink = lstatSync(file).isSymbolicLink();
    if (isLink) symlinkSync(readlinkSync(file, { encoding: 'buffer' }), folder.at(last));
    else await copyFile(file, folder.at(last));
    return true;
  } finally {
    folder.close();
  }
}
