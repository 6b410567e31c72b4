import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { SANDBOX_PRIVATE_BYTES_MAX } from '../../../domain/process-limits.ts';
import { isWithin } from '../../../domain/work/path-text.ts';
import { SYSTEM_FOLDERS } from '../../../domain/work/private-places.ts';
import type { ProgramPlaces } from '../../program/installed-folder.ts';
import { type ProgramFiles, programFiles } from '../../program/program-files.ts';
import type { CheckedGrant } from './check-grant.ts';
import { gitGuards, type MountedFolder } from './git-guards.ts';
import type { Mount } from './mount.ts';
import { statsOf } from './pinned-path.ts';

export interface MountPlan {
  readonly mounts: readonly Mount[];
  /** Files that need a placeholder before the sandbox is built, as `GitGuards` describes them. */
  readonly pointers: readonly MountedFolder[];
}

/** Every mount of a sandbox. A later one lies on top of an earlier one at the same path. */
export function planMounts(grant: CheckedGrant, program: ProgramFiles, cwd: string): MountPlan {
  const system = systemMounts();
  const granted = grant.paths.map(({ mode, from, at }): Mount => ({ kind: mode, from, at }));
  const guards = gitGuards(grant.paths.filter(({ mode }) => mode === 'write'));
  const shown = [...system, ...granted].filter(({ kind }) => kind === 'read' || kind === 'write' || kind === 'link');
  const own = programMounts(program).filter(
    ({ at }) => !isBelowAny(at, grant.hidden) && !shown.some((mount) => isWithin(mount.at, at)),
  );
  const covers = grant.hidden.filter((path) => isVisible(path, [...shown, ...own])).flatMap(cover);
  const sockets = hostSocketMounts(grant.paths).filter(({ at }) => !isBelowAny(at, grant.hidden));
  const folder = workingFolderMounts(cwd, [...shown, ...own]);
  const home = grant.private.map((at): Mount => ({ kind: 'empty', at, bytesMax: SANDBOX_PRIVATE_BYTES_MAX }));
  const mounts = [...home, ...system, ...own, ...folder, ...granted, ...covers, ...sockets, ...guards.mounts];
  const held = guards.pointers.map((shown): Mount => ({ kind: 'read', ...shown }));
  return { mounts: [...mounts, ...held], pointers: guards.pointers };
}

function isBelowAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(folder, path));
}

/**
 * Whether a process could see or make something at a path. In a worktree that is shown read-only at the place of its
 * repository, the data folder of that repository does not exist, and no mount point can be made for a cover.
 */
function isVisible(path: string, shown: readonly Mount[]): boolean {
  const above = shown.filter(({ at }) => isWithin(at, path));
  const deepest = above.reduce<Mount | null>(
    (one, other) => (one && one.at.length > other.at.length ? one : other),
    null,
  );
  if (deepest?.kind !== 'read') return deepest !== null;
  return statsOf(deepest.from + path.slice(deepest.at.length)) !== null;
}

function cover(path: string): Mount[] {
  const stats = statsOf(path);
  if (!stats) return [];
  return [stats.isDirectory() ? { kind: 'empty', at: path, bytesMax: 0 } : { kind: 'blank', at: path }];
}

/** Files of /etc that programs need to find libraries, users, hosts and certificates; no keys, no passwords. */
const ETC = [
  ...['alternatives', 'gitconfig', 'group', 'hosts', 'java-17-openjdk', 'java-21-openjdk', 'ld.so.cache'],
  ...['ld.so.conf', 'ld.so.conf.d', 'localtime', 'mime.types', 'nsswitch.conf', 'os-release', 'passwd', 'perl'],
  ...['pki/ca-trust', 'pki/tls/certs', 'protocols', 'python3', 'python3.11', 'python3.12', 'python3.13'],
  ...['resolv.conf', 'services', 'ssl/certs', 'ssl/openssl.cnf', 'timezone'],
];

/** Mounts of every sandbox: the machine's programs and libraries, and private folders at the usual paths. */
function systemMounts(): Mount[] {
  return [
    ...SYSTEM_FOLDERS.flatMap(systemMount),
    ...ETC.map((name) => `/etc/${name}`).flatMap(systemMount),
    { kind: 'processes', at: '/proc' },
    { kind: 'devices', at: '/dev' },
    { kind: 'empty', at: '/dev/shm', bytesMax: SANDBOX_PRIVATE_BYTES_MAX },
    { kind: 'empty', at: '/tmp', bytesMax: SANDBOX_PRIVATE_BYTES_MAX },
    { kind: 'empty', at: '/var/tmp', bytesMax: SANDBOX_PRIVATE_BYTES_MAX },
    { kind: 'empty', at: '/run', bytesMax: 0 },
  ];
}

/** A top-level link such as /bin stays a link, as its target is shown too; any other link is shown as its target. */
function systemMount(path: string): Mount[] {
  const stats = statsOf(path);
  if (!stats || !existsSync(path)) return [];
  if (stats.isSymbolicLink() && path.split('/').length === 2)
    return [{ kind: 'link', target: readlinkSync(path), at: path }];
  return [{ kind: 'read', from: path, at: path }];
}

/** The program that is started and the Node in use, which the bridge of a restricted network needs. */
export function shownPrograms(file: string, places: ProgramPlaces): ProgramFiles {
  const found = [file, process.execPath].map((each) => programFiles(each, places));
  const links = found.flatMap((each) => each.links);
  return {
    paths: [...new Set(found.flatMap(({ paths }) => paths))],
    links: [...new Map(links.map((link) => [link.at, link])).values()],
  };
}

function programMounts({ paths, links }: ProgramFiles): Mount[] {
  return [
    ...paths.map((path): Mount => ({ kind: 'read', from: path, at: path })),
    ...links.map(({ at, target }): Mount => ({ kind: 'link', target, at })),
  ];
}

/**
 * The working folder exists even if nothing of it is granted: empty and read-only. If it is named through a link, that
 * name exists too, because a task names its files by it.
 */
function workingFolderMounts(cwd: string, shown: readonly Mount[]): Mount[] {
  // Every sandbox has a root.
  const isShown = (path: string) => path === '/' || shown.some(({ at }) => isWithin(at, path));
  const name = resolve(cwd);
  const real = realpathSync(cwd);
  return [
    ...(isShown(real) ? [] : [{ kind: 'empty', at: real, bytesMax: 0 } as const]),
    ...(name === real || isShown(name) ? [] : [{ kind: 'link', target: real, at: name } as const]),
  ];
}

/**
 * Covers the sockets of other programs in shown folders: a read-only mount alone does not keep a process from
 * connecting to them.
 */
function hostSocketMounts(shown: readonly { readonly from: string; readonly at: string }[]): Mount[] {
  const paths = new Set(listeningPaths());
  return [...paths].flatMap((path) =>
    shown
      .filter(({ from }) => isWithin(from, path))
      .map(({ from, at }): Mount => ({ kind: 'blank', at: at + path.slice(from.length) })),
  );
}

function listeningPaths(): string[] {
  const table = readFileSync('/proc/net/unix', 'utf8');
  return table.split('\n').flatMap((line) => /^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (\/.+)$/.exec(line)?.[1] ?? []);
}
