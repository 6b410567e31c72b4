import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMPLETION_OUTCOMES, type CompletionOutcome, resolveCompletionTransitions } from './resolve-completion.ts';
import { canMove, type TaskStatus } from './task-lifecycle.ts';

const CASES: readonly [TaskStatus, CompletionOutcome, boolean, readonly TaskStatus[]][] = [
  ['in-progress', 'done', true, ['review']],
  ['in-progress', 'done', false, ['review', 'done']],
  ['done', 'done', true, []],
  ['done', 'done', false, []],
  ['in-progress', 'blocked', true, ['blocked']],
  ['in-progress', 'blocked', false, ['blocked']],
  ['in-progress', 'needs_review', true, ['review']],
  ['in-progress', 'needs_review', false, ['review']],
  ['in-progress', 'partial', true, ['review']],
  ['in-progress', 'partial', false, ['review']],
];

test('an outcome leads through the statuses that the document gives', () => {
  for (const [status, outcome, reviewRequired, expected] of CASES) {
    const name = `${status}, ${outcome}, reviewRequired ${reviewRequired}`;
    assert.deepEqual(resolveCompletionTransitions(status, outcome, reviewRequired), expected, name);
  }
});

test('every outcome of a task in progress is a chain of legal moves', () => {
  for (const outcome of COMPLETION_OUTCOMES) {
    let status: TaskStatus = 'in-progress';
    for (const next of resolveCompletionTransitions(status, outcome, false)) {
      assert.ok(canMove(status, next), `${status} to ${next}`);
      status = next;
    }
  }
});
