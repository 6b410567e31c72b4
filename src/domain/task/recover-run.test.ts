import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aTask } from '../../../test/support/task/a-task.ts';
import { recoverRun } from './recover-run.ts';
import { COMPLETION_OUTCOMES, type CompletionOutcome } from './resolve-completion.ts';
import type { RunResult } from './run.ts';
import { TASK_STATUSES, type TaskStatus } from './task-lifecycle.ts';
import type { RunEnd } from './task-reason.ts';

const ENDS: readonly RunEnd[] = ['session_end', 'stale_heartbeat', 'machine_restarted'];

function resultWith(outcome: CompletionOutcome, said: Partial<RunResult> = {}): RunResult {
  const tests = { total: 0, passed: 0, failed: 0 };
  const rest = { summaryRef: 's', deliverables: [], tests, completedAt: 1, agent: 'swe-backend' };
  return { outcome, blockers: ['no key', 'no desk'], notes: 'as asked', ...rest, ...said };
}

interface Case {
  readonly status: TaskStatus;
  readonly outcome: CompletionOutcome | null;
  readonly reviewRequired: boolean;
  readonly isBeforeLastMove: boolean;
  readonly end: RunEnd;
  readonly reclaims: number;
}

const TABLE: Case[] = TASK_STATUSES.flatMap((status) =>
  [...COMPLETION_OUTCOMES, null].flatMap((outcome) =>
    [true, false].flatMap((reviewRequired) =>
      [true, false].flatMap((isBeforeLastMove) =>
        ENDS.flatMap((end) =>
          [0, 1, 2, 3].map((reclaims) => ({ status, outcome, reviewRequired, isBeforeLastMove, end, reclaims })),
        ),
      ),
    ),
  ),
);

/** The moves of the document from in-progress, and those that the transition table allows from blocked. */
const LEADS: Record<CompletionOutcome, (reviewRequired: boolean) => string> = {
  done: (reviewRequired) => (reviewRequired ? 'review' : 'review done'),
  blocked: () => 'blocked',
  needs_review: () => 'review',
  partial: () => 'review',
};

function expected({ status, outcome, reviewRequired, isBeforeLastMove, reclaims }: Case): string {
  if (status !== 'in-progress' && status !== 'blocked') return 'nothing';
  if (outcome === null) {
    if (status === 'blocked') return 'nothing';
    return reclaims >= 2 ? 'give-up' : 'reclaim';
  }
  if (status === 'blocked' && (isBeforeLastMove || outcome === 'blocked')) return 'nothing';
  return LEADS[outcome](reviewRequired);
}

function recovered({ status, outcome, reviewRequired, isBeforeLastMove, end, reclaims }: Case): string {
  const task = aTask({ status, reclaims, metadata: reviewRequired ? {} : { reviewRequired: false } });
  const recovery = recoverRun(task, outcome && { result: resultWith(outcome), isBeforeLastMove }, end);
  return recovery.kind === 'apply' ? recovery.moves.join(' ') : recovery.kind;
}

test(`what becomes of a task whose run is over, all ${TABLE.length} cases`, () => {
  for (const row of TABLE) assert.equal(recovered(row), expected(row), JSON.stringify(row));
});

test('the work of an agent outside of Baton waits for a person, whatever its task says', () => {
  const task = aTask({ status: 'in-progress', metadata: { reviewRequired: false } });
  const movesOf = (isExternal: boolean) => {
    const report = { result: resultWith('done'), isBeforeLastMove: false, isExternal };
    const recovery = recoverRun(task, report, 'session_end');
    return recovery.kind === 'apply' && recovery.moves;
  };
  assert.deepEqual([movesOf(true), movesOf(false)], [['review'], ['review', 'done']]);
});

function reason(outcome: CompletionOutcome | null, end: RunEnd, said: Partial<RunResult> = {}): string | undefined {
  const report = outcome && { result: resultWith(outcome, said), isBeforeLastMove: false };
  const recovery = recoverRun(aTask({ status: 'in-progress' }), report, end);
  return 'reason' in recovery ? recovery.reason : undefined;
}

test('the reason of a silent end is the one of the document', () => {
  assert.equal(reason('partial', 'stale_heartbeat'), 'stale_heartbeat_partial');
  assert.equal(reason('done', 'machine_restarted'), 'machine_restarted_done');
  assert.equal(reason(null, 'stale_heartbeat'), 'stale_heartbeat_reclaim');
  assert.equal(reason(null, 'session_end'), 'session_end_reclaim');
});

test('the reason of a good end is what the agent said: its blockers, else its notes', () => {
  assert.equal(reason('blocked', 'session_end'), 'no key; no desk');
  assert.equal(reason('blocked', 'session_end', { blockers: [] }), 'as asked');
  assert.equal(reason('done', 'session_end'), 'as asked');
  assert.equal(reason('needs_review', 'session_end', { notes: '' }), 'session_end_needs_review');
});

test('a third run without a report gives the task up and says why', () => {
  const recovery = recoverRun(aTask({ status: 'in-progress', reclaims: 2 }), null, 'stale_heartbeat');
  assert.equal(recovery.kind, 'give-up');
  assert.match('reason' in recovery ? recovery.reason : '', /3 runs ended without any report.*stale_heartbeat/);
});
