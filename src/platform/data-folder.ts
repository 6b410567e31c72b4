import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolders } from './make-folders.ts';

/** A data folder that cannot be used. The command line shows it; nothing was changed. */
export class FolderFault extends Error {
  readonly code: 'folder_in_use' | 'folder_refused' | 'port_in_use' | 'address_unusable';
  readonly hint: string;

  constructor(code: FolderFault['code'], message: string, hint: string) {
    super(message);
    this.name = 'FolderFault';
    this.code = code;
    this.hint = hint;
  }
}

/** Creates the folder with mode 0700 and a .gitignore. */
export function makeDataFolder(path: string): void {
  if (existsSync(path)) {
    refuseOthersFolder(path);
    return;
  }
  makeFolders(path, 0o700);
  chmodSync(path, 0o700);
  writeFileSync(join(path, '.gitignore'), '*\n');
}

/** Refuses a folder that other users can write; removes their right to read it. */
function refuseOthersFolder(path: string): void {
  const { uid, mode } = statSync(path);
  const me = process.getuid?.();
  if (me === undefined) return;
  if (uid !== me) throw new FolderFault('folder_refused', `${path} belongs to another user`, 'baton --data FOLDER');
  if ((mode & 0o022) !== 0) {
    const message = `${path} can be written by others (mode ${(mode & 0o777).toString(8)})`;
    throw new FolderFault('folder_refused', message, `chmod 700 ${path}`);
  }
  if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/** For an existing folder that becomes a data folder: it may have any mode. */
export function closeToOthers(path: string): void {
  if (existsSync(path) && statSync(path).uid === process.getuid?.()) chmodSync(path, 0o700);
}

/** Only a node writes these files, so a folder with one of them has had a ledger. */
export function hasEventFiles(path: string): boolean {
  const events = join(path, 'events');
  return existsSync(events) && readdirSync(events).some((name) => name.endsWith('.jsonl'));
}
