import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';

/** Where the files of a run are, in the paths its agent knows. */
export interface WorkspacePlaces {
  readonly workspaceRoot: string;
  /** Folders and files beside the workspace that the task may read or write. */
  readonly readPaths: readonly string[];
  /** A folder that stands elsewhere in truth, such as a worktree at the place of the workspace. */
  readonly mounts: readonly { readonly from: string; readonly at: string }[];
}

export type FoundPlace =
  | { readonly kind: 'there'; readonly realPath: string }
  | { readonly kind: 'missing' | 'outside' | 'unreadable' };

const OTHER_SYSTEM = /^[A-Za-z]:[\\/]|^\\\\/;

/** A path as a task names it, found on this machine: links are followed, and must not lead out of what may be read. */
export async function findPlace(path: string, places: WorkspacePlaces): Promise<FoundPlace> {
  if (OTHER_SYSTEM.test(path) || path.includes('\0')) return { kind: 'outside' };
  const wanted = trueOf(resolve(places.workspaceRoot, path), places);
  const roots = await Promise.all(
    [places.workspaceRoot, ...places.readPaths].map((root) => realOf(trueOf(resolve(root), places))),
  );
  let ancestor = wanted;
  for (;;) {
    const real = await realOf(ancestor);
    if (real.kind === 'unreadable') return real;
    if (real.kind === 'there') {
      if (!roots.some((root) => root.kind === 'there' && isInside(real.realPath, root.realPath)))
        return { kind: 'outside' };
      return ancestor === wanted ? real : { kind: 'missing' };
    }
    ancestor = dirname(ancestor);
  }
}

function trueOf(path: string, { mounts }: WorkspacePlaces): string {
  const mount = mounts.find(({ at }) => isInside(path, at));
  return mount ? resolve(mount.from, relative(mount.at, path)) : path;
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

const NOT_THERE = new Set(['ENOENT', 'ENOTDIR']);

async function realOf(path: string): Promise<Exclude<FoundPlace, { kind: 'outside' }>> {
  try {
    return { kind: 'there', realPath: await realpath(path) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { kind: NOT_THERE.has(code) ? 'missing' : 'unreadable' };
  }
}
