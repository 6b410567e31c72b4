import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { RememberedLines } from './remembered-lines.ts';

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
