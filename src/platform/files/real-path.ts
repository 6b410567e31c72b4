import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The path without links, as far as it exists; names that do not exist yet are kept. */
export function realPathAsFar(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    // Absent, or not accessible: then its folder may still be reached through a link.
    return dirname(whole) === whole ? whole : join(realPathAsFar(dirname(whole)), basename(whole));
  }
}
