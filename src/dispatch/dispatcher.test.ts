import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admitted } from '../../test/support/an-execution.ts';
import { anOrder } from '../../test/support/an-order.ts';
import { NEW_TASK, TaskLife } from '../../test/support/task-life.ts';
import type { Fact } from '../domain/execution/fact.ts';
import { DISPATCH_LOOKAHEAD_MAX } from '../domain/limits.ts';
import { selectOrdersUnderWay } from '../ledger/statements/orders.ts';
import { leaseOrder } from '../operations/lease-order.ts';
import { submitOrder } from '../operations/order-rounds.ts';

test('an order in progress continues, however many orders wait before it', async () => {
  const { ledger } = (await TaskLife.open()).at;
  const submit = (number: number) => {
    const order = anOrder({ taskId: `T-${number}` });
    const fact = admitted() as Extract<Fact, { readonly kind: 'admitted' }>;
    return ledger.submit(submitOrder, {
      task: { ...NEW_TASK, agent: 'emma' },
      order,
      provenance: null,
      admitted: fact,
    });
  };
  const made = await Promise.all(Array.from({ length: DISPATCH_LOOKAHEAD_MAX + 20 }, (_, number) => submit(number)));
  const last = made.at(-1);
  assert.ok(last && 'task' in last);
  const taskId = last.task.id;
  assert.deepEqual(selectOrdersUnderWay(ledger.read, DISPATCH_LOOKAHEAD_MAX), []);
  await ledger.submit(leaseOrder, { taskId, agent: 'emma', alternative: null });
  assert.deepEqual(selectOrdersUnderWay(ledger.read, DISPATCH_LOOKAHEAD_MAX), [taskId]);
});
