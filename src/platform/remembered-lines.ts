import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { REMEMBERED_BYTES_MAX } from '../domain/limits.ts';
import { FolderFault } from './data-folder.ts';

/** A list that this machine keeps for its user: one entry a line, added to and never rewritten. */
export class RememberedLines {
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
