import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTask } from '../../../test/support/task/a-task.ts';
import { isRefusal } from '../refusal.ts';
import { type ClaimFacts, decideClaim } from './decide-claim.ts';
import type { Task, TaskName } from './task.ts';
import { TASK_STATUSES, type TaskStatus } from './task-lifecycle.ts';

const FREE: ClaimFacts = { agent: 'swe-backend', openDependencies: 0, resourceHolder: null };
const HOLDER = 'TASK-2026-02-09-001' as TaskName;

function claim(task: Partial<Task>, facts: Partial<ClaimFacts> = {}): string {
  const decision = decideClaim(aTask(task), { ...FREE, ...facts });
  return isRefusal(decision) ? decision.code : decision.moves.join(' ');
}

function routed(agent: string): Task['routing'] {
  return { ...aTask().routing, agent };
}

const BY_STATUS: Record<TaskStatus, string> = {
  backlog: 'ready in-progress',
  ready: 'in-progress',
  'in-progress': 'already_claimed',
  blocked: 'invalid_transition',
  review: 'invalid_transition',
  done: 'invalid_transition',
  cancelled: 'invalid_transition',
  deadletter: 'invalid_transition',
};

for (const status of TASK_STATUSES) {
  test(`a claim of a free task that is ${status}: ${BY_STATUS[status]}`, () => {
    assert.equal(claim({ status }), BY_STATUS[status]);
  });
}

test('only the agent a task is routed to may claim it', () => {
  assert.equal(claim({ status: 'ready', routing: routed('swe-backend') }), 'in-progress');
  assert.equal(claim({ status: 'ready', routing: routed('swe-qa') }), 'unauthorized_agent');
});

test('a task waits for its dependencies, then for its resource', () => {
  const task = { status: 'ready', resource: 'staging' } as const;
  assert.equal(claim(task, { openDependencies: 2 }), 'dependencies_open');
  assert.equal(claim(task, { resourceHolder: HOLDER }), 'resource_busy');
  assert.equal(claim(task, { openDependencies: 1, resourceHolder: HOLDER }), 'dependencies_open');
});

test('what is wrong for good is told before what only has to wait', () => {
  const waits = { openDependencies: 1, resourceHolder: HOLDER };
  assert.equal(claim({ status: 'done', routing: routed('swe-qa') }, waits), 'invalid_transition');
  assert.equal(claim({ status: 'ready', routing: routed('swe-qa') }, waits), 'unauthorized_agent');
});
