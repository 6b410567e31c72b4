import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aLedgerEvent } from '../../../test/support/trace/a-ledger-event.ts';
import { type EventType, eventTypesOf } from '../../domain/trace/ledger-event.ts';
import { eventFilter } from './event-filter.ts';

const ALL = { taskId: null, runId: null, sessionId: null, types: null };

test('who wants everything has no filter', () => {
  assert.equal(eventFilter(ALL), null);
});

test('types are taken by name and by their beginning', () => {
  const filter = eventFilter({ ...ALL, types: eventTypesOf('task.*,run.ended') });
  const taken = (['task.created', 'run.ended', 'incident.opened', 'task.logged'] as EventType[]).map((type) =>
    filter?.(aLedgerEvent({ type })),
  );
  assert.deepEqual(taken, [true, true, false, true]);
  assert.deepEqual([eventTypesOf('task.created,nothing'), eventTypesOf('')], [null, null]);
});

test('a run and a session are what an event names', () => {
  const ofRun = eventFilter({ ...ALL, runId: 'run_1' });
  assert.deepEqual([ofRun?.(aLedgerEvent({ runId: 'run_1' })), ofRun?.(aLedgerEvent({}))], [true, false]);
  const ofSession = eventFilter({ ...ALL, sessionId: 'S-1' });
  assert.deepEqual([ofSession?.(aLedgerEvent({ sessionId: 'S-1' })), ofSession?.(aLedgerEvent({}))], [true, false]);
});

test('filters hold together', () => {
  const filter = eventFilter({ ...ALL, taskId: 'TASK-2026-02-09-057', types: ['task.created'] });
  assert.equal(filter?.(aLedgerEvent({ type: 'task.created' })), true);
  assert.equal(filter?.(aLedgerEvent({ type: 'task.logged' })), false);
  assert.equal(filter?.(aLedgerEvent({ type: 'task.created', taskId: null })), false);
});
