import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anOrder } from '../../test/support/order/an-order.ts';
import { aReport } from '../../test/support/run/a-report.ts';
import {
  admitted,
  collected,
  ended,
  FINISHED,
  failedBy,
  snapshotted,
  verified,
} from '../../test/support/run/an-execution.ts';
import { NEW_TASK, TaskLife } from '../../test/support/task/task-life.ts';
import { currentRun } from '../domain/execution/execution.ts';
import type { AttemptEnd, Fact } from '../domain/execution/fact.ts';
import type { Order } from '../domain/order/order.ts';
import type { FailureCode } from '../domain/refusal.ts';
import type { TaskName } from '../domain/task/task.ts';
import { submitOrder } from '../operations/order/order-rounds.ts';
import { OrderStore } from '../operations/order/order-store.ts';
import { systemTimer } from '../platform/timer.ts';
import type { StopReason } from './attempt/attempt.ts';
import type { EarlierNode } from './earlier-node.ts';
import { OrderRunner } from './order-runner.ts';
import type { OrderSteps } from './steps/steps.ts';

const NO_EARLIER_NODE: EarlierNode = {
  tidy: () => {},
  takeOver: async () => true,
  sweep: async () => {},
};

type FactOf<Kind extends Fact['kind']> = Extract<Fact, { readonly kind: Kind }>;

/** A ledger whose disk is full for one fact, once. */
class FullStore extends OrderStore {
  refused: Fact['kind'] | null = null;

  override write: OrderStore['write'] = (kind, command, facts) => {
    if (this.refused !== kind) return super.write(kind, command, facts);
    this.refused = null;
    return Promise.reject(new Error('no room'));
  };
}

/** An agent whose program cannot be started, and the moves of its task. */
async function unstartable(code: FailureCode, change: (order: Order) => Order = (order) => order) {
  const life = await TaskLife.open();
  const { ledger, clock } = life.at;
  const order = change(anOrder({ origin: 'TASK' }));
  const task = { ...NEW_TASK, agent: 'emma' };
  const fact = admitted() as FactOf<'admitted'>;
  const made = await ledger.submit(submitOrder, { task, order, provenance: null, message: null, admitted: fact });
  const id = 'task' in made ? made.task.id : assert.fail(made.message);
  let starts = 0;
  let end: AttemptEnd = { ...failedBy(code, 'it did not start'), isNotStarted: true } as AttemptEnd;
  let fault: Error | null = null;
  const steps: OrderSteps = {
    admit: async () => fact,
    snapshot: async () => {
      if (fault) throw fault;
      return snapshotted() as FactOf<'snapshotted'>;
    },
    launch: async ({ execution }) => {
      const { runId } = currentRun(execution);
      starts++;
      const over = Promise.resolve(ended(runId, end) as FactOf<'ended'>);
      return { process: null, ended: over, receive: () => {}, tell: () => false };
    },
    collect: async ({ execution }) => collected(currentRun(execution).runId) as FactOf<'collected'>,
    verify: async ({ execution }) => verified(currentRun(execution).runId, []) as FactOf<'verified'>,
    rollBack: async () => assert.fail('nothing was kept'),
    report: async () => ({ kind: 'reported', report: aReport() }),
    remote: async () => assert.fail('it is carried out here'),
  };
  const runner = new OrderRunner({
    store: new OrderStore(ledger, systemTimer()),
    clock,
    steps,
    earlierNode: NO_EARLIER_NODE,
    holdOfTask: () => null,
  });
  return {
    life,
    id: id as TaskName,
    runner,
    startsSoFar: () => starts,
    startsFrom: (next: AttemptEnd) => (end = next),
    faultIs: (next: Error | null) => (fault = next),
    /** As the dispatcher does once the time has come: it makes the task ready, and begins it. */
    async later(milliseconds: number): Promise<string> {
      clock.step(milliseconds);
      await runner.drive(id as TaskName);
      if (life.task(id).status === 'ready') await runner.drive(id as TaskName);
      return life.task(id).status;
    },
  };
}

describe('a task by hand whose agent cannot be started', () => {
  test('waits in blocked for 60 s, 180 s and 540 s, and is given up after the third retry', async () => {
    const { runner, id, life, later, startsSoFar } = await unstartable('process-crashed');
    await runner.drive(id);
    assert.deepEqual([life.task(id).status, startsSoFar()], ['blocked', 1]);
    assert.deepEqual([await later(59_999), startsSoFar()], ['blocked', 1]);
    assert.deepEqual([await later(1), startsSoFar()], ['blocked', 2]);
    assert.deepEqual([await later(179_999), startsSoFar()], ['blocked', 2]);
    assert.deepEqual([await later(1), startsSoFar()], ['blocked', 3]);
    assert.deepEqual([await later(539_999), startsSoFar()], ['blocked', 3]);
    assert.deepEqual([await later(1), startsSoFar()], ['deadletter', 4]);
    assert.deepEqual([await later(3_600_000), startsSoFar()], ['deadletter', 4]);
    const rows = life.at.ledger.read.all("SELECT payload FROM events WHERE type = 'task.transitioned' ORDER BY seq");
    const moves = rows.map(({ payload }) => (JSON.parse(payload as string) as { to: string }).to);
    const tries = Array.from({ length: 3 }, () => ['in-progress', 'blocked', 'ready']).flat();
    assert.deepEqual(moves, ['ready', ...tries, 'in-progress', 'deadletter']);
  });

  test('is given up at once if its program is not there', async () => {
    const { runner, id, life, startsSoFar } = await unstartable('agent-not-found');
    await runner.drive(id);
    assert.deepEqual([life.task(id).status, startsSoFar()], ['deadletter', 1]);
  });

  test('goes on as usual once it starts, and its failed starts take no retry from it', async () => {
    const { runner, id, later, startsFrom, startsSoFar } = await unstartable('process-crashed', (order) => ({
      ...order,
      policy: { ...order.policy, retriesMax: 1, retryBackoffSeconds: [5] },
    }));
    await runner.drive(id);
    startsFrom(failedBy('unknown'));
    assert.deepEqual([await later(60_000), startsSoFar()], ['ready', 2]);
    assert.deepEqual([await later(5_000), startsSoFar()], ['blocked', 3]);
    assert.deepEqual([await later(3_600_000), startsSoFar()], ['blocked', 3]);
  });

  test('a fault before the start is such a failure; one that stays is the end', async () => {
    const { runner, id, life, later, faultIs, startsSoFar } = await unstartable('process-crashed');
    faultIs(new Error('no room'));
    await runner.fail(id, new Error('no room'));
    assert.deepEqual([life.task(id).status, startsSoFar()], ['blocked', 0]);
    faultIs(null);
    assert.deepEqual([await later(60_000), startsSoFar()], ['blocked', 1]);
    const lasting = await unstartable('process-crashed');
    await lasting.runner.fail(lasting.id, new Error('no repository'), true);
    assert.equal(lasting.life.task(lasting.id).status, 'deadletter');
  });

  test('an order that was sent keeps to its own retries, and then waits for a person', async () => {
    const { runner, id, life, startsSoFar } = await unstartable('process-crashed', (order) => ({
      ...order,
      origin: 'CLI',
    }));
    await runner.drive(id);
    assert.deepEqual([life.task(id).status, startsSoFar()], ['blocked', 1]);
    assert.equal(new OrderStore(life.at.ledger, systemTimer()).read(id), null);
  });
});

/** An order whose program ends on request; the calls of its steps are counted. */
async function ordered() {
  const life = await TaskLife.open();
  const { ledger, clock } = life.at;
  const task = { ...NEW_TASK, agent: 'emma' };
  const order = anOrder();
  const fact = admitted() as FactOf<'admitted'>;
  const made = await ledger.submit(submitOrder, { task, order, provenance: null, admitted: fact });
  const id = 'task' in made ? made.task.id : assert.fail(made.message);
  const counts = { launches: 0, losses: 0, sweeps: 0 };
  let onLaunch: () => Promise<unknown> = async () => null;
  const steps: OrderSteps = {
    admit: async () => admitted() as FactOf<'admitted'>,
    snapshot: async () => snapshotted() as FactOf<'snapshotted'>,
    launch: async ({ execution }, { stop }) => {
      const { runId } = currentRun(execution);
      counts.launches++;
      await onLaunch();
      const { promise, resolve } = Promise.withResolvers<FactOf<'ended'>>();
      const end = () => resolve(ended(runId, FINISHED) as FactOf<'ended'>);
      stop.addEventListener('abort', () => {
        if ((stop.reason as StopReason).kind === 'loss') counts.losses++;
        end();
      });
      setImmediate(() => counts.losses === 0 && end());
      return { process: null, ended: promise, receive: () => {}, tell: () => false };
    },
    collect: async ({ execution }) => collected(currentRun(execution).runId) as FactOf<'collected'>,
    verify: async ({ execution }) => verified(currentRun(execution).runId, []) as FactOf<'verified'>,
    rollBack: async () => assert.fail('nothing was kept'),
    report: async () => ({ kind: 'reported', report: aReport() }),
    remote: async () => assert.fail('it is carried out here'),
  };
  const store = new FullStore(ledger, systemTimer());
  const earlierNode: EarlierNode = { ...NO_EARLIER_NODE, sweep: async () => void counts.sweeps++ };
  const runner = new OrderRunner({ store, clock, steps, earlierNode, holdOfTask: () => null });
  return {
    life,
    id: id as TaskName,
    store,
    runner,
    counts,
    onLaunch: (call: () => Promise<unknown>) => (onLaunch = call),
  };
}

test('an order is carried out to its report', async () => {
  const { runner, id, counts, store } = await ordered();
  await runner.drive(id);
  assert.equal(store.read(id), null);
  assert.deepEqual(counts, { launches: 1, losses: 0, sweeps: 0 });
});

test('a fact that could not be written does not start its program a second time', async () => {
  const { runner, id, counts, store } = await ordered();
  store.refused = 'launched';
  await assert.rejects(runner.drive(id), /no room/);
  await runner.drive(id);
  assert.equal(store.read(id), null);
  assert.equal(counts.launches, 1);
});

test('an order that is given up has its program ended first', async () => {
  const { runner, id, counts, store } = await ordered();
  store.refused = 'launched';
  await assert.rejects(runner.drive(id), /no room/);
  await runner.fail(id, new Error('no room'));
  assert.equal(store.read(id), null);
  assert.equal(counts.losses, 1);
});

test('a program whose task was taken away while it started is ended', async () => {
  const { life, runner, id, counts, onLaunch } = await ordered();
  onLaunch(() => life.move(id, 'cancelled'));
  await runner.drive(id);
  assert.deepEqual([counts.launches, counts.losses], [1, 1]);
});
