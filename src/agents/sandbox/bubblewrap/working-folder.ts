import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { isWithin } from '../../../domain/path-text.ts';
import type { Mount } from './mount.ts';

/**
 * The folder that a process starts in is there although nothing of it is granted: empty, and not to be written. One that
 * is named through a link has that name too, for a task tells its files by it.
 */
export function workingFolderMounts(cwd: string, shown: readonly Mount[]): Mount[] {
  // The root is there in every sandbox.
  const isShown = (path: string) => path === '/' || shown.some(({ at }) => isWithin(at, path));
  const name = resolve(cwd);
  const real = realpathSync(cwd);
  return [
    ...(isShown(real) ? [] : [{ kind: 'empty', at: real, bytesMax: 0 } as const]),
    ...(name === real || isShown(name) ? [] : [{ kind: 'link', target: real, at: name } as const]),
  ];
}
