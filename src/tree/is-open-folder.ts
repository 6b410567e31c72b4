import * as fs from 'node:fs';

/** Can be looked into, and is no link. */
export function isOpenFolder(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.X_OK);
    return fs.lstatSync(folder).isDirectory();
  } catch {
    // Whatever keeps it closed, nothing in it can be looked at.
    return false;
  }
}
