import {
  closeSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { closeToOthers, makeDataFolder } from './data-folder.ts';
import { RememberedLines } from './remembered-lines.ts';
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
