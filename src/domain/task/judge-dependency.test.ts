import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DependencyState, judgeDependency } from './judge-dependency.ts';
import { TASK_STATUSES, type TaskStatus } from './task-lifecycle.ts';

type Cell = readonly [ofSession: DependencyState, other: DependencyState];

const TABLE: Readonly<Record<TaskStatus, Cell>> = {
  backlog: ['open', 'open'],
  ready: ['open', 'open'],
  'in-progress': ['open', 'open'],
  blocked: ['open', 'open'],
  review: ['met', 'open'],
  done: ['met', 'met'],
  cancelled: ['failed', 'failed'],
  deadletter: ['failed', 'failed'],
};

for (const status of TASK_STATUSES) {
  test(`a task in ${status} holds up what depends on it, or does not`, () => {
    const states = [true, false].map((isOfSession) => judgeDependency({ status, hasFailed: false }, isOfSession));
    assert.deepEqual(states, TABLE[status]);
  });
}

test('a blocked task has failed only if its order did', () => {
  assert.equal(judgeDependency({ status: 'blocked', hasFailed: true }, true), 'failed');
  assert.equal(judgeDependency({ status: 'blocked', hasFailed: true }, false), 'failed');
});
