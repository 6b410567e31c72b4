import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
} from 'node:fs';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { replaceFile } from './durable-files.ts';
import { makeFolders } from './make-folders.ts';

/** A data folder that cannot be used. The command line shows it; nothing was changed. */
export class FolderFault extends Error {
  readonly code:
    | 'folder_in_use'
    | 'folder_not_empty'
    | 'folder_not_found'
    | 'folder_refused'
    | 'port_in_use'
    | 'address_unusable';
  readonly hint: string;

  constructor(code: FolderFault['code'], message: string, hint: string) {
    super(message);
    this.name = 'FolderFault';
    this.code = code;
    this.hint = hint;
  }
}

/** Holds the id of a data folder; trusted-paths.ts writes it before every other file. */
export const FOLDER_ID_FILE = 'id';
export const FOLDER_ID_PATTERN = /^[\w-]{20,64}$/;

/** Any of these shows that a Baton has used the folder; the id is written before all of them. */
export const TRACES = ['ledger.sqlite', 'lock.sqlite', 'config.yaml', 'node.json', 'tasks', 'runs', 'events'];
/** Files of a Baton that creates the folder at this moment or died while it did, and of the file system itself. */
const NO_CONTENT = /^(\.gitignore|\.(\.gitignore|id)\.\d+(-\d+)?\.tmp|lost\+found)$/;

/** Refuses a folder with files of others and none of Baton's, such as /etc. Changes nothing. */
export function refuseOtherContent(path: string): void {
  if (!existsSync(path)) return;
  const names = readdirSync(path);
  if ([FOLDER_ID_FILE, 'node.key', ...TRACES].some((name) => names.includes(name))) return;
  if (names.every((name) => NO_CONTENT.test(name))) return;
  const message = `${path} is not empty and is not a data folder of Baton; nothing was changed`;
  throw new FolderFault('folder_not_empty', message, 'name an empty folder or a new one: baton --data FOLDER');
}

/** Creates the folder with mode 0700 and a .gitignore. */
export function makeDataFolder(path: string): void {
  if (existsSync(path)) {
    refuseOtherContent(path);
    refuseOthersFolder(path);
    refuseReadOnly(path);
    return;
  }
  makeFolders(path, 0o700);
  chmodSync(path, 0o700);
  replaceFile(join(path, '.gitignore'), '*\n');
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

/** Even a read of the ledger needs its lock. */
function refuseReadOnly(path: string): void {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EROFS' ? 'it is on a read-only disk' : String(code);
    const hint = 'make it writable, or copy it and name the copy: --data FOLDER';
    throw new FolderFault('folder_refused', `${path} cannot be written: ${why}`, hint);
  }
}

/** For an existing folder that becomes a data folder: it may have any mode. */
export function closeToOthers(path: string): void {
  refuseOtherContent(path);
  if (existsSync(path) && statSync(path).uid === process.getuid?.()) chmodSync(path, 0o700);
}

/** Whether nothing was ever stored here: no ledger, not even a lost one, and no task file that a person put there. */
export function isWithoutLedger(path: string): boolean {
  const traces = ['ledger.sqlite', 'ledger.sqlite-wal', 'node.json', 'tasks', 'runs', 'events'];
  return traces.every((name) => !existsSync(join(path, name)));
}

/** For a folder where nothing is stored: what creates it, and where else the tasks may be. */
export const HOW_TO_BEGIN =
  'baton run "what to do" or baton task new creates it; tasks of another folder: --data FOLDER';

/** Only a node writes these files, so a folder with one of them has had a ledger. */
export function hasEventFiles(path: string): boolean {
  const events = join(path, 'events');
  return existsSync(events) && readdirSync(events).some((name) => name.endsWith('.jsonl'));
}

/**
 * The data folder, this node's own or any other, that a path leads into; null if none. A path that does not exist yet counts by its
 * nearest existing folder. Links are followed, and folders are recognised by their content, so neither `..` nor another
 * spelling hides one.
 */
export function dataFolderAround(path: string, own: string): string | null {
  for (let here = followLinks(path); ; here = dirname(here)) {
    if (isDataFolder(here) || sameFile(here, [own]) !== null) return here;
    if (here === dirname(here)) return null;
  }
}

/** The file among these that is the same as `path`, by link or hard link; null if none. */
export function sameFile(path: string, files: readonly string[]): string | null {
  const wanted = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!wanted) return null;
  const isSame = (file: string) => {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat?.ino === wanted.ino && stat.dev === wanted.dev;
  };
  return files.find(isSame) ?? null;
}

function isDataFolder(path: string): boolean {
  try {
    if (existsSync(join(path, 'lock.sqlite'))) return true;
    return FOLDER_ID_PATTERN.test(readFileSync(join(path, FOLDER_ID_FILE), 'utf8').trim());
  } catch {
    // No folder, or no id in it.
    return false;
  }
}

/** The kernel's own bound. */
const LINKS_MAX = 40;

/** Follows every link on the way, those too whose target does not exist yet. */
function followLinks(path: string): string {
  const namesOf = (from: string) => from.slice(parse(from).root.length).split(sep).filter(Boolean);
  const { root } = parse(resolve(path));
  let [real, left, links] = [root, namesOf(resolve(path)), 0];
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const here = join(real, name);
    if (!lstatSync(here, { throwIfNoEntry: false })?.isSymbolicLink() || links++ >= LINKS_MAX) {
      real = here;
      continue;
    }
    left = [...namesOf(resolve(real, readlinkSync(here))), ...left];
    real = root;
  }
  return real;
}
