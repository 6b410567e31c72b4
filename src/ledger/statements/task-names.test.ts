import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestLedger, type TestLedger } from '../../../test/support/test-ledger.ts';
import { isRefusal } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { Command } from '../commit-queue.ts';
import { nextTaskName, reserveTaskName } from './task-names.ts';

const DAY_MS = 24 * 3_600_000;

const takeNames: Command<{ count: number }, string[]> = (tx, { count }) =>
  Array.from({ length: count }, () => nextTaskName(tx, tx.moment.now.wallMs));

async function take(at: TestLedger, count: number): Promise<string[]> {
  const names = await at.ledger.submit(takeNames, { count });
  assert.ok(!isRefusal(names));
  return names;
}

test('the names of a day are counted from 001', async () => {
  const at = openTestLedger();
  assert.deepEqual(await take(at, 2), ['TASK-2026-02-09-001', 'TASK-2026-02-09-002']);
  at.clock.step(DAY_MS);
  assert.deepEqual(await take(at, 1), ['TASK-2026-02-10-001']);
});

test('after 999 the next day with room gives its numbers', async () => {
  const at = openTestLedger();
  const names = await take(at, 1_000);
  assert.deepEqual(names.slice(-2), ['TASK-2026-02-09-999', 'TASK-2026-02-10-001']);
  at.clock.step(DAY_MS);
  assert.deepEqual(await take(at, 1), ['TASK-2026-02-10-002']);
});

test('a name that a file or a restored tree brought is not given again', async () => {
  const at = openTestLedger();
  const reserve: Command<{ name: TaskName }, null> = (tx, { name }) => {
    reserveTaskName(tx, name);
    return null;
  };
  for (const number of ['005', '003']) {
    await at.ledger.submit(reserve, { name: `TASK-2026-02-09-${number}` as TaskName });
  }
  assert.deepEqual(await take(at, 2), ['TASK-2026-02-09-006', 'TASK-2026-02-09-007']);
});

test('a day that was filled from before sends its own on', async () => {
  const at = openTestLedger();
  await take(at, 3 * 999);
  at.clock.step(DAY_MS);
  assert.deepEqual(await take(at, 2), ['TASK-2026-02-12-001', 'TASK-2026-02-12-002']);
  at.clock.step(-DAY_MS);
  assert.deepEqual(await take(at, 1), ['TASK-2026-02-12-003']);
});

test('numbers go over the end of a month and of a leap year', async () => {
  const at = openTestLedger();
  at.clock.jumpWall(Date.parse('2028-02-28T12:00:00Z') - at.clock.now().wallMs);
  assert.equal((await take(at, 1_000)).at(-1), 'TASK-2028-02-29-001');
  at.clock.jumpWall(Date.parse('2028-12-31T23:59:59Z') - at.clock.now().wallMs);
  assert.equal((await take(at, 1_000)).at(-1), 'TASK-2029-01-01-001');
});

test('a name is not given twice when the wall clock goes back a day', async () => {
  const at = openTestLedger();
  const names = await take(at, 5);
  at.clock.jumpWall(DAY_MS);
  names.push(...(await take(at, 5)));
  at.clock.jumpWall(-DAY_MS);
  names.push(...(await take(at, 5)));
  assert.equal(new Set(names).size, 15);
});

test('100,000 names of one day are all different, fit the pattern, and are given fast', async () => {
  const at = openTestLedger();
  const startedMs = performance.now();
  const names = await take(at, 100_000);
  const tookMs = performance.now() - startedMs;
  assert.equal(new Set(names).size, 100_000);
  assert.ok(names.every((name) => /^TASK-\d{4}-\d{2}-\d{2}-(?!000)\d{3}$/.test(name)));
  assert.ok(tookMs < 10_000, `${tookMs} ms`);
});
