import { relative, resolve } from 'node:path';
import { isWithin } from '../domain/work/path-text.ts';
import { isPathOfOtherSystem, resolvePath } from '../workspace/resolve-path.ts';

/** Maps the paths that an agent uses to files of this machine. */
export interface WorkspacePlaces {
  readonly workspaceRoot: string;
  /** Folders and files beside the workspace that the task may read or write. */
  readonly readPaths: readonly string[];
  /** Folders shown at another path, such as a worktree at the path of the workspace. */
  readonly mounts: readonly { readonly from: string; readonly at: string }[];
}

export type ResolvedTaskPath =
  | { readonly kind: 'there'; readonly realPath: string; readonly what: 'file' | 'folder' | 'other' }
  | { readonly kind: 'missing' | 'outside' | 'unreadable' };

/** Resolves a path of a task on this machine. Links are followed, and must not lead out of the readable folders. */
export function resolveTaskPath(path: string, places: WorkspacePlaces): ResolvedTaskPath {
  const { workspaceRoot, readPaths } = places;
  const place = path === '' ? null : resolvePath(onThisMachine(path, places), '/');
  if (place === null || place.kind === 'other-system') return { kind: 'outside' };
  if (place.kind === 'unreadable') return { kind: 'unreadable' };
  const isGranted = [workspaceRoot, ...readPaths].some((root) => {
    const found = resolvePath(onThisMachine(root, places), '/');
    return found.kind === 'there' && isWithin(found.realPath, place.realPath);
  });
  if (!isGranted) return { kind: 'outside' };
  return place.kind === 'there' ? place : { kind: 'missing' };
}

/** Leaves a path of another system alone, so that it is never used as a name here. */
export function onThisMachine(path: string, { workspaceRoot, mounts }: WorkspacePlaces): string {
  if (isPathOfOtherSystem(path) || path.includes('\0')) return path;
  const absolute = resolve(workspaceRoot, path);
  const mount = mounts.find(({ at }) => isWithin(at, absolute));
  return mount ? resolve(mount.from, relative(mount.at, absolute)) : absolute;
}
