import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { REMEMBERED_BYTES_MAX } from '../../domain/limits.ts';
import { randomSecret } from '../secret.ts';
import {
  closeToOthers,
  FOLDER_ID_FILE,
  FOLDER_ID_PATTERN,
  FolderFault,
  makeDataFolder,
  TRACES,
} from './data-folder.ts';
import { isThere, syncPath } from './durable-files.ts';
import { makeFolders } from './make-folders.ts';

/** A list in the user's state folder: one entry a line, append-only. An entry survives a power cut. */
class RememberedLines {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** The newest entries if the list has outgrown its limit. */
  lines(): readonly string[] {
    if (!existsSync(this.#file)) return [];
    return readFileSync(this.#file, 'utf8').slice(-REMEMBERED_BYTES_MAX).split('\n');
  }

  has(isWanted: (line: string) => boolean): boolean {
    return this.lines().some(isWanted);
  }

  add(line: string): void {
    try {
      makeFolders(dirname(this.#file), 0o700);
      const isNew = !existsSync(this.#file);
      appendFileSync(this.#file, `${line}\n`, { mode: 0o600, flush: true });
      if (isNew) syncPath(dirname(this.#file));
    } catch (error) {
      const message = `cannot write ${this.#file}: ${(error as NodeJS.ErrnoException).code}`;
      throw new FolderFault('folder_refused', message, 'set XDG_STATE_HOME to a folder that you can write to');
    }
  }
}

/** How this machine regards a data folder. */
export type Standing =
  /** Created here, or trusted by its user. */
  | 'own'
  /** Missing, or without any file of Baton. */
  | 'new'
  /** Not created here: part of a repository, a copy, an archive. */
  | 'unknown';

const ID = FOLDER_ID_FILE;

/** The data folders that this machine created: `known` in the state folder, an id and a path a line. */
export class KnownFolders {
  readonly #known: RememberedLines;

  constructor(stateFolder: string) {
    this.#known = new RememberedLines(join(stateFolder, 'known'));
  }

  /** The paths of all folders, as they were when this machine created or trusted them. */
  paths(): readonly string[] {
    return this.#known.lines().flatMap((line) => pathIn(line) ?? []);
  }

  standingOf(path: string): Standing {
    if (!existsSync(path)) return 'new';
    if (this.#isKnown(folderIdOf(path))) return 'own';
    if (folderIdOf(path) === null && !TRACES.some((name) => isThere(join(path, name)))) return 'new';
    // Checked again: another process may have created the folder meanwhile.
    return this.#isKnown(folderIdOf(path)) ? 'own' : 'unknown';
  }

  /** Creates a missing folder, or adopts one without any file of Baton. */
  make(path: string): void {
    if (this.standingOf(path) === 'new') this.trust(path);
    else makeDataFolder(path);
  }

  /** Trusts the content of the folder from now on, under a new id: other folders may have a copy of the old one. */
  trust(path: string): void {
    closeToOthers(path);
    makeDataFolder(path);
    rmSync(join(path, ID), { force: true });
    this.#own(path);
  }

  /** Records the folder before creating it: a crash in between leaves no folder that counts as unknown. */
  #own(path: string): void {
    const id = randomSecret();
    this.#known.add(`${id}\t${JSON.stringify(path)}`);
    const draft = join(path, `.${ID}.${process.pid}.tmp`);
    writeFileSync(draft, `${id}\n`, { mode: 0o600, flush: true });
    try {
      linkSync(draft, join(path, ID));
    } catch (error) {
      // Another process was first; its id is valid.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  #isKnown(id: string | null): boolean {
    return Boolean(id) && this.#known.has((line) => line.startsWith(`${id}\t`));
  }
}

/** The id of a data folder; null without one, empty for one that Baton did not write. */
export function folderIdOf(folder: string): string | null {
  let file: number;
  try {
    file = openSync(join(folder, ID), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    // No file, or a link to the id of another folder.
    return null;
  }
  try {
    const id = readFileSync(file, 'utf8').trim();
    return FOLDER_ID_PATTERN.test(id) ? id : '';
  } finally {
    closeSync(file);
  }
}

/** Configuration files that the user has trusted, by path and hash, and those that a run has changed: `trusted` in the state folder. */
export class TrustedFiles {
  readonly #trusted: RememberedLines;

  constructor(stateFolder: string) {
    this.#trusted = new RememberedLines(join(stateFolder, 'trusted'));
  }

  /** A changed byte or another path makes it another file; an earlier text that was replaced by a newer one does not count. */
  isTrusted(path: string, text: string): boolean {
    return this.#lastAbout(path) === lineOf(path, text);
  }

  /** Whether a run changed the file, and nobody has trusted it since. */
  isWithdrawn(path: string): boolean {
    return this.#lastAbout(path)?.startsWith(`${WITHDRAWN}\t`) ?? false;
  }

  trust(path: string, text: string): void {
    if (!this.isTrusted(path, text)) this.#trusted.add(lineOf(path, text));
  }

  withdraw(path: string): void {
    if (!this.isWithdrawn(path)) this.#trusted.add(`${WITHDRAWN}\t${JSON.stringify(path)}`);
  }

  #lastAbout(path: string): string | undefined {
    return this.#trusted.lines().findLast((line) => pathIn(line) === path);
  }
}

/** In the place of a hash. */
const WITHDRAWN = 'withdrawn';

function lineOf(path: string, text: string): string {
  // Loaded on demand: every command loads this file, and few need a hash.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `${createHash('sha256').update(text).digest('hex')}\t${JSON.stringify(path)}`;
}

/** The path of an entry; null for an entry that was cut. */
function pathIn(line: string): string | null {
  try {
    return JSON.parse(line.slice(line.indexOf('\t') + 1)) as string;
  } catch {
    // The first line of a list that outgrew its limit, or the empty last one.
    return null;
  }
}
