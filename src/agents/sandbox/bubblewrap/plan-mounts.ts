import { isWithin } from '../../../domain/path-text.ts';
import { lookAt } from '../look-at.ts';
import type { CheckedGrant } from './check-grant.ts';
import { type CommandFile, commandMounts } from './command-files.ts';
import { gitGuards } from './git-guards.ts';
import { hostSocketMounts } from './host-sockets.ts';
import type { Mount } from './mount.ts';
import { systemMounts } from './system-mounts.ts';
import { workingFolderMounts } from './working-folder.ts';

export interface MountPlan {
  readonly mounts: readonly Mount[];
  /** To be gone after the process, whatever it did. */
  readonly forbidden: readonly string[];
}

/** Everything that the process sees. Later ones lie on top of earlier ones at the same path. */
export function planMounts(grant: CheckedGrant, command: CommandFile, cwd: string): MountPlan {
  const system = systemMounts();
  const granted = grant.paths.map(({ mode, from, at }): Mount => ({ kind: mode, from, at }));
  const guards = gitGuards(grant.paths.filter(({ mode }) => mode === 'write'));
  const shown = [...system, ...granted].filter(({ kind }) => kind === 'read' || kind === 'write' || kind === 'link');
  const own = commandMounts(command).filter(
    ({ at }) => !isBelowAny(at, grant.hidden) && !shown.some((mount) => isWithin(mount.at, at)),
  );
  const covers = grant.hidden.filter((path) => [...shown, ...own].some(({ at }) => isWithin(at, path))).flatMap(cover);
  const sockets = hostSocketMounts(grant.paths).filter(({ at }) => !isBelowAny(at, grant.hidden));
  const folder = workingFolderMounts(cwd, [...shown, ...own]);
  const mounts = [...system, ...own, ...folder, ...granted, ...covers, ...sockets, ...guards.mounts];
  return { mounts, forbidden: guards.forbidden };
}

function isBelowAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(folder, path));
}

function cover(path: string): Mount[] {
  const stats = lookAt(path);
  if (!stats) return [];
  return [stats.isDirectory() ? { kind: 'empty', at: path, bytesMax: 0 } : { kind: 'blank', at: path }];
}
