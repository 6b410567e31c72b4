import { assertNever } from '../domain/assert-never.ts';
import { isRefusal, type Refusal } from '../domain/refusal.ts';
import { DISPATCHER, FILESYSTEM } from '../domain/task/decide-sender.ts';
import type { Task } from '../domain/task/task.ts';
import type { TaskStatus } from '../domain/task/task-lifecycle.ts';
import type { TaskEdit } from '../domain/task/task-text.ts';
import type { EventType, LedgerEvent } from '../domain/trace/ledger-event.ts';
import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { touchTask, upsertMirrorFile } from '../ledger/statements/mirror-files.ts';
import type { Tx } from '../ledger/tx.ts';
import { editByHand } from '../operations/task/edit-by-hand.ts';
import { moveByHand, refuseMoveByHand } from '../operations/task/move-by-hand.ts';
import type { TaskChange } from '../operations/task/transition.ts';
import { taskPath } from '../tree/tree-paths.ts';
import { type Comparison, compare } from './compare.ts';
import type { TreeVerdict } from './perform-judged.ts';
import {
  baseOf,
  type CopiesFound,
  type Copy,
  type LedgerFile,
  mayBeAgents,
  readLedgerFile,
} from './read-ledger-file.ts';
import { openOnce } from './tree-troubles.ts';

/** Decides what the files of a task mean and applies it to the ledger (aof:hand-edits). */
export const judgeCopies: Command<CopiesFound, TreeVerdict> = (tx, facts) => {
  const ledger = readLedgerFile(tx, facts);
  if (ledger === null || (ledger.isPending && !facts.isHeld)) return { kind: 'later' };
  const judging = new Judging(tx, facts, ledger);
  const found = facts.copies.filter(({ kind }) => kind !== 'absent');
  for (const copy of found) judgeCopy(judging, copy);
  if (ledger.isOwnPathEmpty) restoreFile(judging, found.length);
  return judging.result();
};

function judgeCopy(judging: Judging, copy: Copy): void {
  const { tx, ledger } = judging;
  const comparison = compare(baseOf(tx, ledger.task, copy.revision), ledger.ledgerSideOf(judging.task), copy);
  if (copy.kind === 'file' || copy.kind === 'empty') followComparison(judging, comparison, copy);
  else if (comparison.kind === 'unreadable') judging.rejectUnreadable(copy.path, comparison.problem);
}

function followComparison(judging: Judging, comparison: Comparison, copy: FoundCopy): void {
  const { kind } = comparison;
  switch (kind) {
    case 'keep':
    case 'adopt':
      break;
    case 'rewrite':
      judging.accept(copy);
      break;
    case 'edit':
      edit(judging, copy, comparison.edit);
      break;
    case 'move':
      move(judging, copy, comparison.to);
      break;
    case 'stray':
      removeStray(judging, copy, comparison.edit);
      break;
    case 'conflict':
      judging.reject(copy, { ...comparison, message: conflictSentence(comparison) });
      break;
    case 'unreadable':
      judging.rejectUnreadable(copy.path, comparison.problem);
      break;
    default:
      assertNever(kind);
  }
}

function edit(judging: Judging, copy: FoundCopy, typed: TaskEdit): void {
  const { tx, task } = judging;
  if (mayBeAgents(tx, copy, { task, edit: typed })) judging.reject(copy, unattributed(true));
  else if (applyTyped(judging, copy, typed)) judging.accept(copy);
}

/** False if the edit was refused; the file is then set aside. */
function applyTyped(judging: Judging, copy: FoundCopy, typed: TaskEdit): boolean {
  const applied = editByHand(judging.tx, judging.task, typed);
  if (isRefusal(applied)) judging.reject(copy, rejectionOf(applied, true));
  else judging.applied(applied);
  return !isRefusal(applied);
}

function move(judging: Judging, copy: FoundCopy, to: TaskStatus): void {
  const { tx, task } = judging;
  if (mayBeAgents(tx, copy, { task, edit: null })) {
    judging.reject(copy, unattributed(false));
    return;
  }
  const refusal = refuseMoveByHand(tx, task, to);
  if (refusal) {
    judging.reject(copy, { ...rejectionOf(refusal, false), fields: ['status'] });
    return;
  }
  judging.applied(moveByHand(tx, task, { to, actor: FILESYSTEM, reason: null }));
  judging.accept(copy);
}

function removeStray(judging: Judging, copy: FoundCopy, typed: TaskEdit | null): void {
  if (typed !== null && !applyTyped(judging, copy, typed)) return;
  judging.log('tree.stray.removed', { path: copy.path, merged: typed?.changed ?? [] });
  judging.remove(copy);
}

/** The task's own path is empty: its file is written again, whatever other copies were found. */
function restoreFile(judging: Judging, found: number): void {
  const { ledger, facts, task } = judging;
  // The mirror writes a task that was moved, or is pending, in any case.
  if (task.status !== ledger.task.status || ledger.isPending) return;
  judging.clearOwnPath();
  if (found === 0 && !facts.isFolderGone)
    judging.log('tree.file.restored', { path: ledger.ownPath, reason: 'missing' });
}

type FoundCopy = Extract<Copy, { kind: 'file' | 'empty' }>;

interface Rejection {
  /** A code. */
  readonly reason: string;
  readonly message: string;
  readonly fields: readonly string[];
  /** False if all of the file is Baton's own text. */
  readonly isTyped: boolean;
}

function rejectionOf({ code, path, message }: Refusal, isTyped: boolean): Rejection {
  return { reason: code, message, fields: [path], isTyped };
}

function unattributed(isTyped: boolean): Rejection {
  const message = 'an agent that runs without a sandbox may have written it';
  return { reason: 'run_outside_sandbox', message, fields: ['status'], isTyped };
}

function conflictSentence({ reason, fields }: Extract<Comparison, { kind: 'conflict' }>): string {
  const named = fields.join(', ');
  switch (reason) {
    case 'both_changed':
      return `the task changed meanwhile, too: ${named}`;
    case 'invalid_transition':
      return 'the lifecycle does not allow this move';
    case 'id_changed':
      return 'the id of a task cannot be changed';
    case 'fixed_field':
      return `only Baton changes ${named}`;
    case 'two_copies':
      return 'two files of the task have different statuses';
    default:
      return assertNever(reason);
  }
}

/**
 * Judges the files of one task inside a transaction: it changes the ledger at once and collects what to do to the
 * files after the commit.
 */
class Judging {
  readonly tx: Tx;
  readonly facts: CopiesFound;
  readonly ledger: LedgerFile;
  /** As changed so far. */
  task: Task;
  readonly #removals: { path: string; sha256: string }[] = [];
  readonly #asides: { path: string; as: string }[] = [];
  readonly #unreadable: { path: string; problem: string }[] = [];
  readonly #events: LedgerEvent[] = [];

  constructor(tx: Tx, facts: CopiesFound, ledger: LedgerFile) {
    this.tx = tx;
    this.facts = facts;
    this.ledger = ledger;
    this.task = ledger.task;
  }

  result(): TreeVerdict {
    return {
      kind: 'judged',
      removals: this.#removals,
      asides: this.#asides,
      unreadable: this.#unreadable,
      events: this.#events,
    };
  }

  applied({ task, events }: TaskChange): void {
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
    const { tx, task, ledger } = this;
    const { path, sha256 } = copy;
    if (path !== ledger.ownPath && path !== taskPath(task.status, task.id)) {
      this.remove(copy);
      return;
    }
    upsertMirrorFile(tx, { path, taskId: task.id, sha256, nextSha256: null, revision: task.revision });
    touchTask(tx, task.id);
  }

  /** The ledger stays as it is. Typed text is renamed and kept; its incident stays open until that file is gone. */
  reject(copy: FoundCopy, { isTyped, ...why }: Rejection): void {
    const { path } = copy;
    if (isTyped) {
      this.#setAside(path, why);
      return;
    }
    this.log('tree.edit.rejected', { path, ...why, keptAs: null });
    if (path !== this.ledger.ownPath) this.remove(copy);
  }

  /** An unreadable file stays where it is, unless the mirror has to write there. */
  rejectUnreadable(path: string, problem: string): void {
    const { facts, ledger, task } = this;
    const isInTheWay = facts.isHeld && (path === ledger.ownPath || path === taskPath(task.status, task.id));
    if (isInTheWay) this.#setAside(path, { reason: 'unreadable', message: problem, fields: [] });
    else this.#unreadable.push({ path, problem });
  }

  /** Records that the task's own path is empty: the mirror writes the file again. */
  clearOwnPath(): void {
    const { tx, task, ledger } = this;
    upsertMirrorFile(tx, {
      path: ledger.ownPath,
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
    const detail = `${path} was rejected: ${why.message} (${why.reason}); it is kept as ${as}`;
    openOnce(tx, { kind: 'edit_set_aside', path: as, taskId: task.id, detail });
    this.#asides.push({ path, as });
    if (path === this.ledger.ownPath) this.clearOwnPath();
  }
}
