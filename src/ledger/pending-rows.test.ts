import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEW_TASK } from '../../test/support/task-life.ts';
import { openTestLedger, type TestLedger } from '../../test/support/test-ledger.ts';
import { isRefusal, refuse } from '../domain/refusal.ts';
import { createTask } from '../operations/create-task.ts';
import type { Command } from './commit-queue.ts';
import { LedgerFault } from './fault.ts';

const countThere: Command<{ table: 'tasks' | 'events' }, { rows: unknown }> = (tx, { table }) => ({
  rows: tx.one(`SELECT count(*) AS rows FROM ${table}`)?.rows,
});
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
