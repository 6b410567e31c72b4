import { DISPATCHER } from '../domain/decisions/decide-sender.ts';
import type { EventType, LedgerEvent } from '../domain/ledger-event.ts';
import type { Task } from '../domain/task.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { touchTask, upsertMirrorFile } from '../ledger/statements/mirror-files.ts';
import type { Tx } from '../ledger/tx.ts';
import type { Moved } from '../operations/transition.ts';
import { taskPath } from '../tree/tree-paths.ts';
import type { Judged } from './perform-judged.ts';
import type { CopiesFound, Copy, SideFacts } from './read-ledger-side.ts';
import { openOnce } from './tree-troubles.ts';

export type FoundCopy = Extract<Copy, { kind: 'file' | 'empty' }>;

export interface Rejection {
  readonly reason: string;
  readonly fields: readonly string[];
  /** False if all of the file is Baton's own text. */
  readonly isTyped: boolean;
}

/**
 * Judges the files of one task inside a transaction: it changes the ledger at once and collects what to do to the
 * files after the commit.
 */
export class Judging {
  readonly tx: Tx;
  readonly facts: CopiesFound;
  readonly side: SideFacts;
  /** As changed so far. */
  task: Task;
  readonly #removals: { path: string; sha256: string }[] = [];
  readonly #asides: { path: string; as: string }[] = [];
  readonly #unreadable: { path: string; problem: string }[] = [];
  readonly #events: LedgerEvent[] = [];

  constructor(tx: Tx, facts: CopiesFound, side: SideFacts) {
    this.tx = tx;
    this.facts = facts;
    this.side = side;
    this.task = side.task;
  }

  result(): Judged {
    return {
      kind: 'judged',
      removals: this.#removals,
      asides: this.#asides,
      unreadable: this.#unreadable,
      events: this.#events,
    };
  }

  applied({ task, events }: Moved): void {
    this.task = task;
    this.#events.push(...events);
  }

  log(type: EventType, payload: Readonly<Record<string, unknown>>): void {
    this.#events.push(insertEvent(this.tx, { type, actor: DISPATCHER, taskId: this.task.id, payload }));
  }

  remove({ path, sha256 }: FoundCopy): void {
    this.#removals.push({ path, sha256 });
  }

  /** The ledger now contains the file's text, so the mirror may overwrite the file. */
  accept(copy: FoundCopy): void {
    const { tx, task, side } = this;
    const { path, sha256 } = copy;
    if (path !== side.ownPath && path !== taskPath(task.status, task.id)) {
      this.remove(copy);
      return;
    }
    upsertMirrorFile(tx, { path, taskId: task.id, sha256, nextSha256: null, revision: task.revision });
    touchTask(tx, task.id);
  }

  /** The ledger stays as it is. Typed text is renamed and kept; its incident stays open until that file is gone. */
  reject(copy: FoundCopy, { reason, fields, isTyped }: Rejection): void {
    const { path } = copy;
    if (isTyped) {
      this.#setAside(path, { reason, fields });
      return;
    }
    this.log('tree.edit.rejected', { path, reason, fields, keptAs: null });
    if (path !== this.side.ownPath) this.remove(copy);
  }

  /** An unreadable file stays where it is, unless the mirror has to write there. */
  rejectUnreadable(path: string, problem: string): void {
    const { facts, side, task } = this;
    const isInTheWay = facts.isHeld && (path === side.ownPath || path === taskPath(task.status, task.id));
    if (isInTheWay) this.#setAside(path, { reason: 'unreadable', fields: [problem] });
    else this.#unreadable.push({ path, problem });
  }

  /** Records that the task's own path is empty: the mirror writes the file again. */
  clearOwnPath(): void {
    const { tx, task, side } = this;
    upsertMirrorFile(tx, {
      path: side.ownPath,
      taskId: task.id,
      sha256: null,
      nextSha256: null,
      revision: task.revision,
    });
    touchTask(tx, task.id);
  }

  #setAside(path: string, why: Omit<Rejection, 'isTyped'>): void {
    const { tx, task, facts } = this;
    const as = facts.asideNames[this.#asides.length];
    if (as === undefined) throw new Error(`no free name was found to keep ${path} under`);
    this.log('tree.edit.rejected', { path, ...why, keptAs: as });
    const detail = `${path} was rejected (${why.reason}: ${why.fields.join(', ')}); it is kept as ${as}`;
    openOnce(tx, { kind: 'foreign_edit', path: as, taskId: task.id, detail });
    this.#asides.push({ path, as });
    if (path === this.side.ownPath) this.clearOwnPath();
  }
}
