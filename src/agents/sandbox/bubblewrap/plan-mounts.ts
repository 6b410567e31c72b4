import { existsSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { COMMAND_PACKAGE_LEVELS_MAX, SANDBOX_PRIVATE_BYTES_MAX } from '../../../domain/limits.ts';
import { isWithin } from '../../../domain/path-text.ts';
import type { CheckedGrant } from './check-grant.ts';
import { gitGuards } from './git-guards.ts';
import type { Mount } from './mount.ts';
import { statsOf } from './pinned-path.ts';

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
  const stats = statsOf(path);
  if (!stats) return [];
  return [stats.isDirectory() ? { kind: 'empty', at: path, bytesMax: 0 } : { kind: 'blank', at: path }];
}

const FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/** Of /etc what programs need to run, find their libraries, tell names and trust certificates; no keys, no passwords. */
const ETC = [
  ...['alternatives', 'gitconfig', 'group', 'hosts', 'java-17-openjdk', 'java-21-openjdk', 'ld.so.cache'],
  ...['ld.so.conf', 'ld.so.conf.d', 'localtime', 'mime.types', 'nsswitch.conf', 'os-release', 'passwd', 'perl'],
  ...['pki/ca-trust', 'pki/tls/certs', 'protocols', 'python3', 'python3.11', 'python3.12', 'python3.13'],
  ...['resolv.conf', 'services', 'ssl/certs', 'ssl/openssl.cnf', 'timezone'],
];

/** What every process sees: the programs and libraries of the machine, and folders of its own in the usual places. */
function systemMounts(): Mount[] {
  return [
    ...FOLDERS.flatMap(mountAsItIs),
    ...ETC.map((name) => `/etc/${name}`).flatMap(mountAsItIs),
    { kind: 'processes', at: '/proc' },
    { kind: 'devices', at: '/dev' },
    { kind: 'empty', at: '/dev/shm', bytesMax: SANDBOX_PRIVATE_BYTES_MAX },
    { kind: 'empty', at: '/tmp', bytesMax: SANDBOX_PRIVATE_BYTES_MAX },
    { kind: 'empty', at: '/var/tmp', bytesMax: SANDBOX_PRIVATE_BYTES_MAX },
    { kind: 'empty', at: '/run', bytesMax: 0 },
  ];
}

/** A link stays a link where it leads to something that is shown too; else what it leads to is shown in its place. */
function mountAsItIs(path: string): Mount[] {
  const stats = statsOf(path);
  if (!stats || !existsSync(path)) return [];
  if (stats.isSymbolicLink() && path.split('/').length === 2)
    return [{ kind: 'link', target: readlinkSync(path), at: path }];
  return [{ kind: 'read', from: path, at: path }];
}

/** A program as it was found, and where it really is. */
export interface CommandFile {
  readonly file: string;
  readonly realFile: string;
}

/** A program's own files: itself where it was found, and the package that it is a part of. And the Node in use. */
function commandMounts({ file, realFile }: CommandFile): Mount[] {
  const own = [realFile, packageOf(realFile), managerOf(file), dirname(process.execPath)];
  const paths = new Set(own.filter((path) => path !== null));
  const reads = [...paths].map((path): Mount => ({ kind: 'read', from: path, at: path }));
  return file === realFile ? reads : [...reads, { kind: 'link', target: realFile, at: file }];
}

/** Where a manager of versions, such as pyenv or asdf, keeps what its shims choose from. */
const KEPT_VERSIONS = ['versions', 'installs'];

/** A program in a folder `shims` only starts another, of those that its manager keeps beside it. */
function managerOf(file: string): string | null {
  const folder = dirname(file);
  const manager = dirname(folder);
  const isManager = basename(folder) === 'shims' && KEPT_VERSIONS.some((name) => existsSync(join(manager, name)));
  return isManager ? manager : null;
}

/** The nearest folder above with a package.json; a file that stands alone has none. */
function packageOf(file: string): string | null {
  let folder = dirname(file);
  for (let level = 0; level < COMMAND_PACKAGE_LEVELS_MAX && folder !== '/'; level += 1) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    folder = dirname(folder);
  }
  return null;
}

/**
 * The folder that a process starts in is there although nothing of it is granted: empty, and not to be written. One that
 * is named through a link has that name too, for a task tells its files by it.
 */
function workingFolderMounts(cwd: string, shown: readonly Mount[]): Mount[] {
  // The root is there in every sandbox.
  const isShown = (path: string) => path === '/' || shown.some(({ at }) => isWithin(at, path));
  const name = resolve(cwd);
  const real = realpathSync(cwd);
  return [
    ...(isShown(real) ? [] : [{ kind: 'empty', at: real, bytesMax: 0 } as const]),
    ...(name === real || isShown(name) ? [] : [{ kind: 'link', target: real, at: name } as const]),
  ];
}

/**
 * Sockets that others of this machine listen on, in folders that are shown: a read-only folder does not keep a process
 * from talking to them. They are there, and nobody answers.
 */
function hostSocketMounts(shown: readonly { readonly from: string; readonly at: string }[]): Mount[] {
  const paths = new Set(listenedPaths());
  return [...paths].flatMap((path) =>
    shown
      .filter(({ from }) => isWithin(from, path))
      .map(({ from, at }): Mount => ({ kind: 'blank', at: at + path.slice(from.length) })),
  );
}

function listenedPaths(): string[] {
  const table = readFileSync('/proc/net/unix', 'utf8');
  return table.split('\n').flatMap((line) => /^\S+: \S+ \S+ \S+ \S+ \S+ +\d+ (\/.+)$/.exec(line)?.[1] ?? []);
}
