import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { KNOWN_FOLDERS_BYTES_MAX } from '../domain/limits.ts';
import { closeToOthers, FolderFault, makeDataFolder } from './data-folder.ts';
import { randomSecret } from './secret.ts';

/** What a data folder is to this machine. */
export type Standing =
  /** Made here, or trusted by the person at the keyboard. */
  | 'own'
  /** Not there, or without anything of Baton's in it. */
  | 'new'
  /** Somebody else's: a folder that came with a repository, a copy, an archive. */
  | 'foreign';

const ID = 'id';
const ID_PATTERN = /^[\w-]{20,64}$/;
/** Where any of these is, a Baton has been; the id is written before all of them. */
const TRACES = ['ledger.sqlite', 'lock.sqlite', 'config.yaml', 'node.json', 'tasks', 'runs', 'events'];

/** Which data folders this machine made: `known` in the state folder, an id and a path a line. */
export class KnownFolders {
  readonly #folder: string;
  readonly #file: string;

  constructor(stateFolder: string) {
    this.#folder = stateFolder;
    this.#file = join(stateFolder, 'known');
  }

  standingOf(path: string): Standing {
    if (!existsSync(path)) return 'new';
    if (this.#isKnown(idOf(path))) return 'own';
    if (idOf(path) === null && !TRACES.some((name) => isThere(join(path, name)))) return 'new';
    // Asked once more: another process may have made the folder since.
    return this.#isKnown(idOf(path)) ? 'own' : 'foreign';
  }

  /** Makes a folder that is not there, and one of ours of one that has nothing of Baton's in it. */
  make(path: string): void {
    if (this.standingOf(path) === 'new') this.trust(path);
    else makeDataFolder(path);
  }

  /** What is in the folder counts from here on. Under a new id: the old one may stand in other folders too. */
  trust(path: string): void {
    closeToOthers(path);
    makeDataFolder(path);
    rmSync(join(path, ID), { force: true });
    this.#own(path);
  }

  /** Known first: who dies in between has made nothing that is not his. */
  #own(path: string): void {
    const id = randomSecret();
    this.#remember(id, path);
    const draft = join(path, `.${ID}.${process.pid}.tmp`);
    writeFileSync(draft, `${id}\n`, { mode: 0o600 });
    try {
      linkSync(draft, join(path, ID));
    } catch (error) {
      // Another process was first; its id is as good.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  #remember(id: string, path: string): void {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      appendFileSync(this.#file, `${id}\t${JSON.stringify(path)}\n`, { mode: 0o600 });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const message = `cannot remember in ${this.#file} that ${path} is yours: ${code}`;
      throw new FolderFault('folder_refused', message, 'set XDG_STATE_HOME to a folder that you can write to');
    }
  }

  #isKnown(id: string | null): boolean {
    if (!id || !existsSync(this.#file)) return false;
    const text = readFileSync(this.#file, 'utf8').slice(-KNOWN_FOLDERS_BYTES_MAX);
    return text.split('\n').some((line) => line.startsWith(`${id}\t`));
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function idOf(folder: string): string | null {
  let file: number;
  try {
    file = openSync(join(folder, ID), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    // Not there, or a link to the id of another folder.
    return null;
  }
  try {
    const id = readFileSync(file, 'utf8').trim();
    return ID_PATTERN.test(id) ? id : '';
  } finally {
    closeSync(file);
  }
}
