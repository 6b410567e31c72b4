import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aLedgerEvent } from '../../../test/support/trace/a-ledger-event.ts';
import type { TaskName } from '../task/task.ts';
import type { EventType } from '../trace/ledger-event.ts';
import { noticeOf, standingEvents } from './notice.ts';

function told(type: EventType, payload: Readonly<Record<string, unknown>>) {
  return noticeOf(aLedgerEvent({ type, payload }), () => 'a title');
}

const NEWS: readonly (readonly [EventType, Readonly<Record<string, unknown>>, string | null])[] = [
  ['task.transitioned', { to: 'review', reason: null, cause: null }, 'review,needs-you'],
  ['task.transitioned', { to: 'blocked', reason: 'why', cause: null }, 'blocked,needs-you'],
  [
    'task.transitioned',
    { to: 'blocked', reason: null, cause: { kind: 'failed', code: 'E_DEPENDENCY_FAILED', message: 'TASK-1 failed' } },
    'blocked',
  ],
  ['task.transitioned', { to: 'deadletter', reason: null, cause: null }, 'blocked,needs-you'],
  ['task.transitioned', { to: 'done', reason: null, cause: null }, 'done'],
  ['task.transitioned', { to: 'ready', reason: null, cause: null }, null],
  ['order.settled', { signal: 'FAILURE', code: 'E_TIMEOUT', message: 'too long' }, 'failed'],
  ['order.settled', { signal: 'ABORTED', code: 'E_COST_LIMIT_EXCEEDED', message: 'spent' }, 'budget'],
  ['order.settled', { signal: 'SUCCESS', code: null, message: '' }, null],
  ['question.asked', { kind: 'budget', what: 'spend more' }, 'needs-you,budget'],
  ['question.asked', { kind: 'permission', what: 'run rm' }, 'needs-you'],
  ['session.reported', { signal: 'SUCCESS', totals: { tasks: 2, completed: 2 }, costUsd: 1 }, 'session-ended'],
  ['session.stopped', { cause: 'budget', message: 'spent' }, 'budget'],
  ['session.stopped', { cause: 'operator', message: '' }, null],
  ['incident.opened', { kind: 'storage_full', detail: 'no room' }, 'needs-you'],
  ['incident.opened', { kind: 'notice_undelivered', detail: 'no answer' }, null],
  ['trace.entropy_detected', { action: 'escalate', text: 'confidence fell' }, 'stuck,needs-you'],
  ['trace.entropy_detected', { action: 'pivot', text: 'repeats' }, 'stuck'],
  ['run.progressed', { text: 'half' }, null],
];

for (const [type, payload, kinds] of NEWS) {
  test(`${type} ${Object.values(payload)[0]}: ${kinds ?? 'no news'}`, () => {
    assert.equal(told(type, payload)?.kinds.join(',') ?? null, kinds);
  });
}

test('checked work that passes through review is no news of review; work that stays there is', () => {
  const move = (seq: number, taskId: string, from: string, to: string, at: number) =>
    aLedgerEvent({ seq, type: 'task.transitioned', taskId: taskId as TaskName, payload: { from, to }, at });
  const events = [
    move(1, 'TASK-2026-02-09-001', 'in-progress', 'review', 5),
    move(2, 'TASK-2026-02-09-001', 'review', 'done', 5),
    move(3, 'TASK-2026-02-09-002', 'in-progress', 'review', 5),
    move(4, 'TASK-2026-02-09-002', 'review', 'done', 9),
  ];
  assert.deepEqual(
    standingEvents(events).map(({ seq }) => seq),
    [2, 3, 4],
  );
});

test('secrets, control characters and long texts do not get out', () => {
  const message = `ghp_${'a1B2c3D4e5F6'.repeat(3)} \u001b]0;x\u0007\nline ${'x'.repeat(2_000)}`;
  const { texts } = told('order.settled', { signal: 'FAILURE', code: null, message }) ?? { texts: [''] };
  assert.match(texts[0] ?? '', /\[REDACTED:/);
  assert.doesNotMatch(texts[0] ?? '', /ghp_|[\u0000-\u001f]/);
  assert.equal([...(texts[0] ?? '')].length, 500);
});
