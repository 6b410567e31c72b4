import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestLedger } from '../../../test/support/test-ledger.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { Tx } from '../tx.ts';
import { closeOrder, hasOpenOrder, insertOrder, type OrderRow } from './orders.ts';

const taskId = 'TASK-2026-02-09-001' as TaskName;
const order: OrderRow = {
  taskId,
  round: 1,
  sessionId: 'ses_1',
  senderTaskId: 'T-1',
  provenance: { protocol: 'aop', text: '{}' },
  at: 0,
  isOpen: true,
};
const isOpen = (tx: Tx) => ({ isOpen: hasOpenOrder(tx, taskId) });

test('an order is open from when it is given until it is reported, in one commit or in several', async () => {
  const { ledger } = openTestLedger();
  const ask = () => ledger.submit(isOpen, {});
  const before = ask();
  await ledger.submit((tx) => ({ done: insertOrder(tx, order, 'ready') }), {});
  const given = ask();
  await ledger.submit((tx) => ({ done: closeOrder(tx, order) }), {});
  const reported = ask();
  const next = ledger.submit((tx) => ({ done: insertOrder(tx, { ...order, round: 2 }, 'ready') }), {});
  const again = ask();
  await next;
  const answers = await Promise.all([before, given, reported, again]);
  assert.deepEqual(
    answers.map((answer) => 'isOpen' in answer && answer.isOpen),
    [false, true, false, true],
  );
});
