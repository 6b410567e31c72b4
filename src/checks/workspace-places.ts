import { relative, resolve } from 'node:path';
import { isWithin } from '../domain/path-text.ts';
import { isForeignPath, lookAtPath } from '../workspace/look-at-path.ts';

/** Where the files of a run are, in the paths its agent knows. */
export interface WorkspacePlaces {
  readonly workspaceRoot: string;
  /** Folders and files beside the workspace that the task may read or write. */
  readonly readPaths: readonly string[];
  /** A folder that stands elsewhere in truth, such as a worktree at the place of the workspace. */
  readonly mounts: readonly { readonly from: string; readonly at: string }[];
}

export type FoundPlace =
  | { readonly kind: 'there'; readonly realPath: string; readonly what: 'file' | 'folder' | 'other' }
  | { readonly kind: 'missing' | 'outside' | 'unreadable' };

/** A path as a task names it, found on this machine: links are followed, and must not lead out of what may be read. */
export function findPlace(path: string, places: WorkspacePlaces): FoundPlace {
  const { workspaceRoot, readPaths } = places;
  const place = path === '' ? null : lookAtPath(trueOf(path, places), '/');
  if (place === null || place.kind === 'foreign') return { kind: 'outside' };
  if (place.kind === 'unreadable') return { kind: 'unreadable' };
  const isGranted = [workspaceRoot, ...readPaths].some((root) => {
    const found = lookAtPath(trueOf(root, places), '/');
    return found.kind === 'there' && isWithin(found.realPath, place.realPath);
  });
  if (!isGranted) return { kind: 'outside' };
  return place.kind === 'there' ? place : { kind: 'missing' };
}

/** A path of another system is left as it is, and so never taken for a name here. */
function trueOf(path: string, { workspaceRoot, mounts }: WorkspacePlaces): string {
  if (isForeignPath(path) || path.includes('\0')) return path;
  const absolute = resolve(workspaceRoot, path);
  const mount = mounts.find(({ at }) => isWithin(at, absolute));
  return mount ? resolve(mount.from, relative(mount.at, absolute)) : absolute;
}
