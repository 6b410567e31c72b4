import { lstatSync, type Stats } from 'node:fs';

/** What a name stands for, a link for itself; null where nothing can be found by it. */
export function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    // Not there, behind something that is no folder, in a loop of links, or not ours to see.
    return null;
  }
}
