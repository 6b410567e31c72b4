import { statSync } from 'node:fs';

/** The paths that exist, by the names that the vendor's program knows them by: links in them are followed when it starts. */
export function presentPaths(paths: readonly string[]): string[] {
  return paths.filter((path) => statSync(path, { throwIfNoEntry: false }));
}
