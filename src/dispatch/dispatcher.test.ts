import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../test/support/order/an-order.ts';
import { admitted } from '../../test/support/run/an-execution.ts';
import { NEW_TASK, TaskLife } from '../../test/support/task/task-life.ts';
import type { Fact } from '../domain/execution/fact.ts';
import { DISPATCH_LOOKAHEAD_MAX } from '../domain/limits.ts';
import { selectOrdersUnderWay } from '../ledger/statements/orders.ts';
import { leaseOrder } from '../operations/order/lease-order.ts';
import { submitOrder } from '../operations/order/order-rounds.ts';
import { OrderStore } from '../operations/order/order-store.ts';
import { silentLogger } from '../platform/logger.ts';
import { systemTimer } from '../platform/timer.ts';
import { Dispatcher } from './dispatcher.ts';
import { OrderRunner } from './order-runner.ts';

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

test('a dispatcher that stops waits for the turn that a wake began: nothing is written to a closed ledger', async () => {
  const { ledger, clock } = (await TaskLife.open()).at;
  const timer = systemTimer();
  const store = new OrderStore(ledger, timer);
  const nothing = () => Promise.reject(new Error('no order is carried out'));
  const steps = { snapshot: nothing } as unknown as ConstructorParameters<typeof OrderRunner>[0]['steps'];
  const earlierNode = {} as ConstructorParameters<typeof OrderRunner>[0]['earlierNode'];
  const runner = new OrderRunner({ store, clock, steps, earlierNode, holdOfTask: () => null });
  const turn = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const dispatcher = new Dispatcher({
    ...{ ledger, clock, timer, runner, log: silentLogger },
    slots: () => ({ ofAgent: {}, inAll: 1 }),
    autoAgents: () => () => null,
    accountOf: () => null,
    isHeldUp: () => false,
    asked: null,
    sessions: {
      tick: () => {
        begun.resolve();
        return turn.promise;
      },
    },
    ensureOrder: async () => false,
  });
  dispatcher.wake();
  await begun.promise;
  let isStopped = false;
  const stopped = dispatcher.stop().then(() => {
    isStopped = true;
  });
  await new Promise((later) => setImmediate(later));
  assert.equal(isStopped, false);
  turn.resolve();
  await stopped;
});
