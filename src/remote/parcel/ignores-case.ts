import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether the disk of a data folder takes small and large letters for the same. Tried with a file: a disk may be mounted into another one. */
export function ignoresCase(dataFolder: string): boolean {
  const file = join(dataFolder, 'travel', 'Case-Try');
  writeFileSync(file, '');
  try {
    return existsSync(file.replace('Case-Try', 'case-try'));
  } finally {
    rmSync(file, { force: true });
  }
}
