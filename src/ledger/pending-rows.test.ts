import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEW_TASK } from '../../test/support/task/task-life.ts';
import { openTestLedger, type TestLedger } from '../../test/support/test-ledger.ts';
import { isRefusal, refuse } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task/task.ts';
import { claimTask } from '../operations/task/claim-task.ts';
import { createTask } from '../operations/task/create-task.ts';
import type { Command } from './commit-queue.ts';
import { LedgerFault } from './fault.ts';

const countThere: Command<{ table: 'tasks' | 'events' }, { rows: unknown }> = (tx, { table }) => ({
  rows: tx.one(`SELECT count(*) AS rows FROM ${table}`)?.rows,
});
/** The row as it is on disk, not as the cache has it. */
const rowThere: Command<{ id: string }, { status: unknown; run: unknown }> = (tx, { id }) => {
  const row = tx.one('SELECT status, run_id FROM tasks WHERE id = ?', id);
  return { status: row?.status, run: row?.run_id };
};
const refusesAfterALook: Command<object, never> = (tx) =>
  refuse('invalid_argument', `${tx.tuple('SELECT count(*) FROM tasks')?.[0]} tasks are there`);
const breaks: Command<object, never> = () => {
  throw new Error('planted');
};

const create = (at: TestLedger) => at.ledger.submit(createTask, NEW_TASK);

test('a command sees the rows of those before it in its batch', async () => {
  const at = openTestLedger();
  const made = Array.from({ length: 41 }, () => create(at));
  const [tasks, events] = await Promise.all([
    at.ledger.submit(countThere, { table: 'tasks' }),
    at.ledger.submit(countThere, { table: 'events' }),
  ]);
  assert.deepEqual([tasks, events], [{ rows: 41 }, { rows: 41 }]);
  await Promise.all(made);
});

test('a command that looks and refuses is not blamed for the rows of those before it', async () => {
  const at = openTestLedger();
  const [made, refused] = await Promise.all([create(at), at.ledger.submit(refusesAfterALook, {}), create(at)]);
  assert.ok(!isRefusal(made));
  assert.ok(isRefusal(refused));
  assert.equal(refused.message, '1 tasks are there');
  assert.deepEqual(at.faults, []);
});

test('rows and names of a batch that was rolled back are forgotten', async () => {
  const at = openTestLedger();
  const lost = [create(at), at.ledger.submit(breaks, {})];
  for (const answer of lost) await assert.rejects(answer, LedgerFault);
  at.reopen();
  const made = await create(at);
  assert.ok(!isRefusal(made));
  assert.equal(made.task.id.slice(-3), '001');
  assert.deepEqual(await at.ledger.submit(countThere, { table: 'tasks' }), { rows: 1 });
});

test('updates of a row that is new in the same batch are seen by the commands after them, and written', async () => {
  const at = openTestLedger();
  const made = create(at);
  const facts = { taskId: 'TASK-2026-02-09-001' as TaskName, agent: 'swe-backend', process: null };
  const [claimed, seen] = await Promise.all([
    at.ledger.submit(claimTask, facts),
    at.ledger.submit(rowThere, { id: facts.taskId }),
    made,
  ]);
  assert.ok(!isRefusal(claimed));
  const row = { status: 'in-progress', run: claimed.run.id };
  assert.deepEqual(seen, row);
  at.reopen();
  assert.deepEqual(await at.ledger.submit(rowThere, { id: facts.taskId }), row);
});

test('updates of a batch that was rolled back are forgotten', async () => {
  const at = openTestLedger();
  await create(at);
  const facts = { taskId: 'TASK-2026-02-09-001' as TaskName, agent: 'swe-backend', process: null };
  const lost = [at.ledger.submit(claimTask, facts), at.ledger.submit(breaks, {})];
  for (const answer of lost) await assert.rejects(answer, LedgerFault);
  at.reopen();
  assert.deepEqual(await at.ledger.submit(rowThere, { id: facts.taskId }), { status: 'backlog', run: null });
});
