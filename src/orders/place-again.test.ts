import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '../../test/support/data-folder.ts';
import type { Execution } from '../domain/execution/execution.ts';
import type { Task } from '../domain/task/task.ts';
import { placeAgain } from './place-again.ts';

const folder = scratchFolder('place-again');

/** A further round of work in this state, whose last round was in a worktree, or in the user's files for null. */
function again(work: Task['work'], worktree: string | null) {
  const workplace = worktree === null ? { kind: 'in-place' } : { kind: 'worktree', folder: worktree };
  return placeAgain({ work }, { snapshotted: { workplace } } as unknown as Execution);
}

test('work that waits in a worktree goes on there', () => {
  assert.deepEqual(again('waiting', folder), { isInWorktree: true, isGone: false, flags: { worktree: false } });
});

test('a round that changed nothing goes on in its worktree, or in a new one where that is gone', () => {
  assert.deepEqual(again(null, folder), { isInWorktree: true, isGone: false, flags: { worktree: true } });
  const gone = again(null, join(folder, 'gone'));
  assert.deepEqual(gone, { isInWorktree: false, isGone: true, flags: { worktree: true } });
});

test("work in the user's files goes on there, and work that was taken back begins as its order says", () => {
  assert.deepEqual(again('applied', folder), { isInWorktree: false, isGone: false, flags: { worktree: false } });
  assert.deepEqual(again(null, null), { isInWorktree: false, isGone: false, flags: { worktree: false } });
  assert.deepEqual(again('discarded', folder), { isInWorktree: false, isGone: true, flags: {} });
});
