import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { COMMAND_PACKAGE_LEVELS_MAX } from '../../../domain/limits.ts';
import type { Mount } from './mount.ts';

/** A program as it was found, and where it really is. */
export interface CommandFile {
  readonly file: string;
  readonly realFile: string;
}

/** A program's own files: itself where it was found, and the package that it is a part of. And the Node in use. */
export function commandMounts({ file, realFile }: CommandFile): Mount[] {
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
