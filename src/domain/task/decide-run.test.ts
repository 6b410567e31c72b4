import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../refusal.ts';
import { WORK_STATES } from '../work/work-state.ts';
import { decideRetry, decideRun, type RunnableTask } from './decide-run.ts';
import type { TaskName } from './task.ts';
import { TASK_STATUSES } from './task-lifecycle.ts';

const TASK: RunnableTask = {
  id: 'TASK-2026-11-16-001' as TaskName,
  status: 'backlog',
  work: null,
  isOrdered: false,
  isInterrupted: false,
};

function kindOf(found: ReturnType<typeof decideRun>): string {
  return isRefusal(found) ? found.code : found.kind;
}

function byStatus(some: Partial<RunnableTask>): Record<string, string> {
  return Object.fromEntries(TASK_STATUSES.map((status) => [status, kindOf(decideRun({ ...TASK, ...some, status }))]));
}

test('a task that was never given to an agent begins, unless somebody works on it or it is over', () => {
  assert.deepEqual(byStatus({}), {
    backlog: 'first',
    ready: 'first',
    'in-progress': 'already_claimed',
    blocked: 'first',
    review: 'invalid_transition',
    done: 'invalid_transition',
    cancelled: 'invalid_transition',
    deadletter: 'first',
  });
});

test('a task that was given before goes on where it waits, and gets another round where it ended', () => {
  assert.deepEqual(byStatus({ isOrdered: true }), {
    backlog: 'again',
    ready: 'resume',
    'in-progress': 'already_claimed',
    blocked: 'again',
    review: 'invalid_transition',
    done: 'invalid_transition',
    cancelled: 'invalid_transition',
    deadletter: 'again',
  });
});

test('an interrupted run goes on', () => {
  const found = decideRun({ ...TASK, status: 'in-progress', isOrdered: true, isInterrupted: true });
  assert.deepEqual(found, { kind: 'resume' });
});

test('only work that was taken back runs again from review, and from done as a new task', () => {
  for (const work of WORK_STATES) {
    const isBack = work === 'undone' || work === 'discarded';
    const from = (status: RunnableTask['status']) => kindOf(decideRun({ ...TASK, isOrdered: true, work, status }));
    assert.equal(from('review'), isBack ? 'again' : 'invalid_transition', work);
    assert.equal(from('done'), isBack ? 'follow-up' : 'invalid_transition', work);
    assert.equal(from('cancelled'), 'invalid_transition', work);
  }
});

test('a retry and a run begin the same round of a task that ended', () => {
  for (const status of TASK_STATUSES) {
    for (const work of [null, ...WORK_STATES]) {
      const retried = decideRetry({ ...TASK, status, work });
      if (!isRefusal(retried)) assert.deepEqual(decideRun({ ...TASK, isOrdered: true, status, work }), retried, status);
    }
  }
});
