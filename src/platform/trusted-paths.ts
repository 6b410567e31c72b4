import { createHash } from 'node:crypto';
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
import { dirname, join } from 'node:path';
import { REMEMBERED_BYTES_MAX } from '../domain/limits.ts';
import { closeToOthers, FolderFault, makeDataFolder } from './data-folder.ts';
import { randomSecret } from './ids.ts';

/** A list that this machine keeps for its user: one entry a line, added to and never rewritten. */
class RememberedLines {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Of a list that has grown past its bound, the newest count. */
  has(isWanted: (line: string) => boolean): boolean {
    if (!existsSync(this.#file)) return false;
    return readFileSync(this.#file, 'utf8').slice(-REMEMBERED_BYTES_MAX).split('\n').some(isWanted);
  }

  add(line: string): void {
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      appendFileSync(this.#file, `${line}\n`, { mode: 0o600 });
    } catch (error) {
      const message = `cannot write ${this.#file}: ${(error as NodeJS.ErrnoException).code}`;
      throw new FolderFault('folder_refused', message, 'set XDG_STATE_HOME to a folder that you can write to');
    }
  }
}

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
  readonly #known: RememberedLines;

  constructor(stateFolder: string) {
    this.#known = new RememberedLines(join(stateFolder, 'known'));
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
    this.#known.add(`${id}\t${JSON.stringify(path)}`);
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

  #isKnown(id: string | null): boolean {
    return Boolean(id) && this.#known.has((line) => line.startsWith(`${id}\t`));
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

/** Files of workspaces that a person has trusted, each as it was then: `trusted` in the state folder. */
export class TrustedFiles {
  readonly #trusted: RememberedLines;

  constructor(stateFolder: string) {
    this.#trusted = new RememberedLines(join(stateFolder, 'trusted'));
  }

  /** With one byte changed, or at another place, it is another file. */
  isTrusted(path: string, text: string): boolean {
    const wanted = lineOf(path, text);
    return this.#trusted.has((line) => line === wanted);
  }

  trust(path: string, text: string): void {
    if (!this.isTrusted(path, text)) this.#trusted.add(lineOf(path, text));
  }
}

function lineOf(path: string, text: string): string {
  return `${createHash('sha256').update(text).digest('hex')}\t${JSON.stringify(path)}`;
}
