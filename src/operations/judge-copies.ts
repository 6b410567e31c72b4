import type { Command } from '../ledger/commit-queue.ts';
import { insertEvent } from '../ledger/statements/events.ts';
import { compare } from '../tree/compare.ts';
import type { CopiesFound, Copy, Judged } from '../tree/tree-commands.ts';
import { followComparison, setUnreadable } from './follow-comparison.ts';
import { clearPlace, type Judging } from './judging.ts';
import { baseOf, readLedgerSide } from './read-ledger-side.ts';
import { DISPATCHER } from './tree-troubles.ts';

/** D-A10, D-A13: what the files of a task mean, and what follows from it. */
export const judgeCopies: Command<CopiesFound, Judged> = (tx, facts) => {
  const side = readLedgerSide(tx, facts);
  if (side === null || (side.isPending && !facts.isHeld)) return { kind: 'later' };
  const done: Judging['done'] = { removals: [], asides: [], unreadable: [], events: [] };
  const judging: Judging = { tx, facts, side, done, task: side.task };
  const found = facts.copies.filter(({ kind }) => kind !== 'absent');
  for (const copy of found) judgeCopy(judging, copy);
  if (side.isPlaceEmpty) fillPlace(judging, found.length);
  return { kind: 'judged', ...done };
};

function judgeCopy(judging: Judging, copy: Copy): void {
  const { tx, side } = judging;
  const comparison = compare(baseOf(tx, side.task, copy.revision), side.ledgerSideOf(judging.task), copy);
  if (copy.kind === 'file' || copy.kind === 'empty') followComparison(judging, comparison, copy);
  else if (comparison.kind === 'unreadable') setUnreadable(judging, copy.path, comparison.problem);
}

/** The file is put back, whatever was found instead of it. */
function fillPlace(judging: Judging, found: number): void {
  const { tx, side, facts, task, done } = judging;
  // A file that was moved, or a task that the mirror writes anyway, has its place elsewhere.
  if (task.status !== side.task.status || side.isPending) return;
  clearPlace(judging);
  if (found > 0 || facts.isFolderGone) return;
  const payload = { path: side.place, reason: 'missing' };
  done.events.push(insertEvent(tx, { type: 'tree.file.restored', actor: DISPATCHER, taskId: task.id, payload }));
}
