import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Mirror } from './mirror.ts';
import { EVENTS_FOLDER } from './tree-paths.ts';
import type { TreeTroubles } from './tree-troubles.ts';

export interface EventFilesParts {
  /** The data folder. */
  readonly root: string;
  readonly troubles: TreeTroubles;
  readonly mirror: Pick<Mirror, 'restoreEvents'>;
}

/** Notices when files of events go: the mirror only ever looks at the end of the newest. */
export class EventFiles {
  readonly #parts: EventFilesParts;
  /** As they were seen last. */
  #seen: ReadonlySet<string> = new Set();

  constructor(parts: EventFilesParts) {
    this.#parts = parts;
  }

  async heal(): Promise<void> {
    const { troubles, mirror } = this.#parts;
    const now = this.#names();
    const missing = [...this.#seen.difference(now)];
    this.#seen = now;
    if (missing.length === 0) return;
    const path = `${EVENTS_FOLDER}/${missing[0]}`;
    await troubles.open('tree_missing', path, `${missing.length} files of events are gone; they are written again`);
    await mirror.restoreEvents();
    this.#seen = this.#names();
  }

  #names(): Set<string> {
    try {
      return new Set(readdirSync(join(this.#parts.root, EVENTS_FOLDER)).filter((name) => name.endsWith('.jsonl')));
    } catch {
      // Gone, or no folder: then there are none.
      return new Set();
    }
  }
}
