import { assertNever } from '../domain/assert-never.ts';
import { FILESYSTEM } from '../domain/decisions/decide-sender.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { TaskStatus } from '../domain/task-lifecycle.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { touchTask, upsertMirrorFile } from '../ledger/statements/mirror-files.ts';
import type { Comparison, Edit } from '../tree/compare.ts';
import { taskPath } from '../tree/tree-paths.ts';
import { applyEdit } from './apply-edit.ts';
import { clearPlace, type FoundCopy, type Judging } from './judging.ts';
import { moveByHand, refuseMoveByHand } from './move-by-hand.ts';
import { DISPATCHER, openOnce } from './tree-troubles.ts';

/** Does what a file means; the ledger first, and a note of what is to be done to the file. */
export function followComparison(judging: Judging, comparison: Comparison, copy: FoundCopy): void {
  const { kind } = comparison;
  switch (kind) {
    case 'keep':
    case 'adopt':
      break;
    case 'rewrite':
      takeOver(judging, copy);
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
      reject(judging, copy, comparison);
      break;
    case 'unreadable':
      setUnreadable(judging, copy.path, comparison.problem);
      break;
    default:
      assertNever(kind);
  }
}

function edit(judging: Judging, copy: FoundCopy, wanted: Edit): void {
  const applied = applyEdit(judging.tx, judging.task, wanted);
  if (isRefusal(applied)) {
    reject(judging, copy, { reason: applied.code, fields: [applied.path], isTyped: true });
    return;
  }
  judging.task = applied.task;
  judging.done.events.push(...applied.events);
  takeOver(judging, copy);
}

function move(judging: Judging, copy: FoundCopy, to: TaskStatus): void {
  const { tx, task } = judging;
  const refusal = refuseMoveByHand(tx, task, to);
  if (refusal) {
    reject(judging, copy, { reason: refusal.code, fields: ['status'], isTyped: false });
    return;
  }
  const moved = moveByHand(tx, task, { to, actor: FILESYSTEM, reason: null });
  judging.task = moved.task;
  judging.done.events.push(...moved.events);
  takeOver(judging, copy);
}

/** What lies there is now known as Baton's, and the mirror writes the task's own text over it. */
function takeOver(judging: Judging, { path, sha256 }: FoundCopy): void {
  const { tx, task, side, done } = judging;
  if (path !== side.place && path !== taskPath(task.status, task.id)) {
    done.removals.push({ path, sha256 });
    return;
  }
  upsertMirrorFile(tx, { path, taskId: task.id, sha256, nextSha256: null, revision: task.revision });
  touchTask(tx, task.id);
}

function removeStray(judging: Judging, copy: FoundCopy, typed: Edit | null): void {
  const { tx, done } = judging;
  const applied = typed === null ? null : applyEdit(tx, judging.task, typed);
  if (isRefusal(applied)) {
    reject(judging, copy, { reason: applied.code, fields: [applied.path], isTyped: true });
    return;
  }
  if (applied) judging.task = applied.task;
  const payload = { path: copy.path, merged: typed?.changed ?? [] };
  const removed = insertEvent(tx, { type: 'tree.stray.removed', actor: DISPATCHER, taskId: judging.task.id, payload });
  done.events.push(...(applied?.events ?? []), removed);
  done.removals.push({ path: copy.path, sha256: copy.sha256 });
}

interface Rejection {
  readonly reason: string;
  readonly fields: readonly string[];
  readonly isTyped: boolean;
}

/** The ledger's state stays. What was typed is kept beside the file, and an incident tells of it until it is gone. */
function reject(judging: Judging, { path, sha256 }: FoundCopy, { reason, fields, isTyped }: Rejection): void {
  if (isTyped) {
    setAside(judging, path, { reason, fields });
    return;
  }
  const { tx, task, side, done } = judging;
  const payload = { path, reason, fields, keptAs: null };
  done.events.push(insertEvent(tx, { type: 'tree.edit.rejected', actor: DISPATCHER, taskId: task.id, payload }));
  if (path !== side.place) done.removals.push({ path, sha256 });
}

function setAside(judging: Judging, path: string, why: Omit<Rejection, 'isTyped'>): void {
  const { tx, task, facts, done } = judging;
  const as = facts.keepAs[done.asides.length];
  if (as === undefined) throw new Error(`${path} has no free name to be kept under`);
  const payload = { path, ...why, keptAs: as };
  done.events.push(insertEvent(tx, { type: 'tree.edit.rejected', actor: DISPATCHER, taskId: task.id, payload }));
  const detail = `${path} was not taken over (${why.reason}: ${why.fields.join(', ')}); it is kept as ${as}`;
  openOnce(tx, { kind: 'foreign_edit', path: as, taskId: task.id, detail });
  done.asides.push({ path, as });
  if (path === judging.side.place) clearPlace(judging);
}

/** Left as it is, unless the mirror must write there. */
export function setUnreadable(judging: Judging, path: string, problem: string): void {
  const { facts, side, task } = judging;
  const isInTheWay = facts.isHeld && (path === side.place || path === taskPath(task.status, task.id));
  if (isInTheWay) setAside(judging, path, { reason: 'unreadable', fields: [problem] });
  else judging.done.unreadable.push({ path, problem });
}
