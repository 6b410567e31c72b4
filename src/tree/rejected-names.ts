import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/** D-A10: `<name>.rejected.<ending>`, or the first free numbers of it, for what is not taken over. */
export function rejectedNames(root: string, path: string, count: number): string[] {
  const dot = path.lastIndexOf('.');
  const end = dot > path.lastIndexOf('/') ? dot : path.length;
  const names: string[] = [];
  for (let number = 1; names.length < count; number++) {
    const mark = number === 1 ? '.rejected' : `.rejected-${number}`;
    const name = `${path.slice(0, end)}${mark}${path.slice(end)}`;
    if (!lstatSync(join(root, name), { throwIfNoEntry: false })) names.push(name);
  }
  return names;
}
