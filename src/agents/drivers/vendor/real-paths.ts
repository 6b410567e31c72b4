import { realpathSync, statSync } from 'node:fs';

/** The real names of the paths that exist. */
export function realPaths(paths: readonly string[]): string[] {
  return paths.filter((path) => statSync(path, { throwIfNoEntry: false })).map((path) => realpathSync(path));
}
