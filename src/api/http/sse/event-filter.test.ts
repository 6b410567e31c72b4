import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aLedgerEvent } from '../../../../test/support/a-ledger-event.ts';
import type { EventType } from '../../../domain/ledger-event.ts';
import type { Run } from '../../../domain/run.ts';
import type { TaskName } from '../../../domain/task.ts';
import { eventFilter } from './event-filter.ts';

const ALL = { taskId: null, session: null, types: [] };
const RUN = { id: 'run_1', taskId: 'TASK-2026-02-09-057' as TaskName, startedAt: 100, endedAt: null } as Run;

test('who wants everything has no filter', () => {
  assert.equal(eventFilter(ALL), null);
});

test('types are taken by name and by their beginning', () => {
  const filter = eventFilter({ ...ALL, types: ['task.*', 'run.ended'] });
  const taken = (['task.created', 'run.ended', 'incident.opened', 'task.logged'] as EventType[]).map((type) =>
    filter?.(aLedgerEvent({ type })),
  );
  assert.deepEqual(taken, [true, true, false, true]);
});

test('a session is what names its run, and what happened to its task while it was held', () => {
  const filter = eventFilter({ ...ALL, session: RUN });
  const of = (given: Parameters<typeof aLedgerEvent>[0]) => filter?.(aLedgerEvent({ at: 150, ...given }));
  assert.equal(of({ at: 99 }), false);
  assert.equal(of({ payload: { run: 'run_0' } }), false);
  assert.equal(of({ payload: { run: 'run_1' } }), true);
  assert.equal(of({}), true);
  assert.equal(of({ taskId: 'TASK-2026-02-09-058' as TaskName }), false);
  assert.equal(of({ type: 'run.ended', payload: { run: 'run_1' } }), true);
  assert.equal(of({ at: 200 }), false, 'after its end');
  assert.equal(of({ at: 150 }), true, 'in the moment of its end');
});

test('filters hold together', () => {
  const filter = eventFilter({ taskId: RUN.taskId, session: null, types: ['task.created'] });
  assert.equal(filter?.(aLedgerEvent({ type: 'task.created' })), true);
  assert.equal(filter?.(aLedgerEvent({ type: 'task.logged' })), false);
  assert.equal(filter?.(aLedgerEvent({ type: 'task.created', taskId: null })), false);
});
