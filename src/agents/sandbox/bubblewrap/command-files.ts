import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COMMAND_PACKAGE_LEVELS_MAX } from '../../../domain/limits.ts';
import type { Mount } from './mount.ts';

/** A program as it was found, and where it really is. */
export interface CommandFile {
  readonly file: string;
  readonly realFile: string;
}

/** A program's own files: itself where it was found, and the package that it is a part of. And the Node in use. */
export function commandMounts({ file, realFile }: CommandFile): Mount[] {
  const paths = new Set([realFile, packageOf(realFile), dirname(process.execPath)].filter((path) => path !== null));
  const reads = [...paths].map((path): Mount => ({ kind: 'read', from: path, at: path }));
  return file === realFile ? reads : [...reads, { kind: 'link', target: realFile, at: file }];
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
