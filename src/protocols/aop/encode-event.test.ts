import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aLedgerEvent } from '../../../test/support/trace/a-ledger-event.ts';
import type { ProgressSignal } from '../../domain/agent/agent-signal.ts';
import type { LedgerEvent } from '../../domain/trace/ledger-event.ts';
import { decodeEvent } from './agent-signals.ts';
import { decodeAop } from './decode.ts';
import { encodeEvent } from './encode-event.ts';
import type { PriorityEscalationEvent } from './schema/events.ts';

const PROGRESS: ProgressSignal = {
  kind: 'progress',
  percentage: 40,
  phase: 'p1',
  checkpoint: 'c1',
  text: 'half of it',
  remainingSeconds: 12,
  isForSender: true,
};

function event(progress: ProgressSignal, type: LedgerEvent['type'] = 'run.progressed'): LedgerEvent {
  const payload = { run: 'run_1', senderTask: 'T', ...progress };
  return aLedgerEvent({ type, at: 0, actor: 'emma', sessionId: 'S', payload });
}

test('progress for the sender is a valid PROGRESS_UPDATE that reads as the same progress', () => {
  const bare = { ...PROGRESS, phase: null, checkpoint: null, text: '', remainingSeconds: null };
  for (const progress of [PROGRESS, bare]) {
    const message = encodeEvent(event(progress));
    assert.ok(message?.event === 'PROGRESS_UPDATE');
    assert.deepEqual([message.session_id, message.task_id, message.agent], ['S', 'T', 'emma']);
    assert.equal(message.timestamp, '1970-01-01T00:00:00.000Z');
    assert.equal(decodeAop(JSON.stringify(message)).verdict, 'accepted');
    assert.deepEqual(decodeEvent(message), [progress]);
  }
});

test('a sign of life for the sender is a valid HEARTBEAT, with the progress so far', () => {
  const beat = (progress: ProgressSignal) => {
    const { type, ...rest } = event(progress);
    return encodeEvent({ ...rest, type, payload: { ...rest.payload, isBeat: true } });
  };
  const [whole, bare] = [beat(PROGRESS), beat({ ...PROGRESS, percentage: null, phase: null, checkpoint: null })];
  assert.ok(whole?.event === 'HEARTBEAT' && bare?.event === 'HEARTBEAT');
  assert.deepEqual([whole.progress_percentage, whole.current_phase, whole.current_checkpoint], [40, 'p1', 'c1']);
  assert.deepEqual([bare.task_id, bare.agent, 'progress_percentage' in bare], ['T', 'emma', false]);
  for (const each of [whole, bare]) assert.equal(decodeAop(JSON.stringify(each)).verdict, 'accepted');
});

test('other events, and progress that is not for the sender or has no figure, are no PROGRESS_UPDATE', () => {
  const others = [
    event(PROGRESS, 'run.warned'),
    event({ ...PROGRESS, isForSender: false }),
    event({ ...PROGRESS, percentage: null }),
  ];
  assert.deepEqual(others.map(encodeEvent), [null, null, null]);
});

test('a rollback and a new priority of an order are valid EVENTs for its sender', () => {
  const files = [{ path: 'a.ts', restoredFrom: '/data/a', status: 'SUCCESS' }];
  const rollback = { trigger: 'TASK_FAILED', files, senderTask: 'T' };
  const edit = { fields: ['priority'], reason: 'soon', oldPriority: 'normal', newPriority: 'high', senderTask: 'T' };
  const told = [
    encodeEvent(aLedgerEvent({ type: 'order.rolled_back', sessionId: 'S', payload: rollback })),
    encodeEvent(aLedgerEvent({ type: 'task.edited', actor: 'operator', sessionId: 'S', payload: edit })),
  ];
  for (const message of told) assert.equal(decodeAop(JSON.stringify(message)).verdict, 'accepted');
  assert.deepEqual(told[0], {
    aop_version: '2.0.2-C',
    message_type: 'EVENT',
    event: 'ROLLBACK_INITIATED',
    session_id: 'S',
    task_id: 'T',
    timestamp: '1970-01-01T00:00:01.000Z',
    trigger: 'TASK_FAILED',
    artifacts_rolled_back: [{ path: 'a.ts', restored_from: '/data/a', status: 'SUCCESS' }],
  });
  const { old_priority, new_priority, reason, escalated_by } = told[1] as PriorityEscalationEvent;
  assert.deepEqual([old_priority, new_priority, reason, escalated_by], ['NORMAL', 'HIGH', 'soon', 'operator']);
});

test('an edit of a task without an open order is no EVENT', () => {
  const payload = { fields: ['priority'], reason: null, oldPriority: 'normal', newPriority: 'high' };
  assert.equal(encodeEvent(aLedgerEvent({ type: 'task.edited', payload })), null);
});
