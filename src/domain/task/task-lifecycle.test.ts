import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canMove, isTerminal, TASK_STATUSES, TASK_TRANSITIONS, type TaskStatus, wayTo } from './task-lifecycle.ts';

// aof:statuses, word for word.
const ALLOWED: Record<TaskStatus, string> = {
  backlog: 'ready, blocked, cancelled',
  ready: 'in-progress, blocked, deadletter, cancelled',
  'in-progress': 'review, ready, blocked, deadletter, cancelled',
  blocked: 'ready, review, deadletter, cancelled',
  review: 'done, in-progress, blocked, cancelled',
  deadletter: 'ready, cancelled',
  done: '',
  cancelled: '',
};

test('a task may move exactly where the decision lets it', () => {
  for (const from of TASK_STATUSES) {
    const allowed = ALLOWED[from].split(', ');
    for (const to of TASK_STATUSES) assert.equal(canMove(from, to), allowed.includes(to), `${from} to ${to}`);
  }
});

test('a task never moves to the status it has', () => {
  for (const status of TASK_STATUSES) assert.equal(canMove(status, status), false, status);
});

test('done and cancelled are final, and nothing else is', () => {
  assert.deepEqual(TASK_STATUSES.filter(isTerminal), ['done', 'cancelled']);
});

test('every status but backlog can be reached', () => {
  const reached = new Set(Object.values(TASK_TRANSITIONS).flat());
  assert.deepEqual(
    TASK_STATUSES.filter((status) => !reached.has(status)),
    ['backlog'],
  );
});

test('the way to ready is the shortest one that needs no run; final statuses have none', () => {
  const ways = Object.fromEntries(TASK_STATUSES.map((status) => [status, wayTo(status, 'ready')]));
  assert.deepEqual(ways, {
    backlog: ['ready'],
    ready: [],
    'in-progress': ['ready'],
    blocked: ['ready'],
    review: ['blocked', 'ready'],
    done: null,
    cancelled: null,
    deadletter: ['ready'],
  });
});

test('every way is legal move by move', () => {
  for (const from of TASK_STATUSES) {
    for (const to of TASK_STATUSES) {
      const way = wayTo(from, to);
      const steps = [from, ...(way ?? [])];
      assert.ok(
        steps.slice(1).every((next, at) => canMove(steps[at] as TaskStatus, next)),
        `${from} to ${to}`,
      );
      if (way !== null) assert.equal(steps.at(-1), to);
      assert.ok(!way?.slice(0, -1).includes('in-progress'), `${from} to ${to} leads through in-progress`);
    }
  }
});
