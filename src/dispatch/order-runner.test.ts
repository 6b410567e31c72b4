import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admitted, collected, ended, FINISHED, snapshotted, verified } from '../../test/support/an-execution.ts';
import { anOrder } from '../../test/support/an-order.ts';
import { NEW_TASK, TaskLife } from '../../test/support/task-life.ts';
import type { Fact } from '../domain/execution/fact.ts';
import type { Report } from '../domain/report.ts';
import type { TaskName } from '../domain/task.ts';
import { submitOrder } from '../operations/submit-order.ts';
import { systemTimer } from '../platform/timer.ts';
import type { StopReason } from './attempt/attempt.ts';
import { OrderBook } from './order-book.ts';
import { OrderRunner } from './order-runner.ts';
import type { OrderSteps } from './order-steps.ts';

type FactOf<Kind extends Fact['kind']> = Extract<Fact, { readonly kind: Kind }>;

/** A ledger whose disk is full for one fact, once. */
class FullBook extends OrderBook {
  refused: Fact['kind'] | null = null;

  override write: OrderBook['write'] = (kind, command, facts) => {
    if (this.refused !== kind) return super.write(kind, command, facts);
    this.refused = null;
    return Promise.reject(new Error('no room'));
  };
}

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
    tidy: () => {},
    resume: () => {},
    admit: async () => admitted() as FactOf<'admitted'>,
    snapshot: async () => snapshotted() as FactOf<'snapshotted'>,
    launch: async (_, runId, stop) => {
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
    sweep: async () => void counts.sweeps++,
    collect: async (_, runId) => collected(runId) as FactOf<'collected'>,
    verify: async (_, runId) => verified(runId, []) as FactOf<'verified'>,
    rollBack: async () => assert.fail('nothing was kept'),
    report: async () => ({ kind: 'reported', report: {} as Report }),
  };
  const book = new FullBook(ledger, systemTimer());
  const runner = new OrderRunner({ book, clock, steps });
  return {
    life,
    id: id as TaskName,
    book,
    runner,
    counts,
    onLaunch: (call: () => Promise<unknown>) => (onLaunch = call),
  };
}

test('an order is carried out to its report', async () => {
  const { runner, id, counts, book } = await ordered();
  await runner.drive(id);
  assert.equal(book.read(id), null);
  assert.deepEqual(counts, { launches: 1, losses: 0, sweeps: 0 });
});

test('a fact that could not be written does not start its program a second time', async () => {
  const { runner, id, counts, book } = await ordered();
  book.refused = 'launched';
  await assert.rejects(runner.drive(id), /no room/);
  await runner.drive(id);
  assert.equal(book.read(id), null);
  assert.equal(counts.launches, 1);
});

test('an order that is given up has its program ended first', async () => {
  const { runner, id, counts, book } = await ordered();
  book.refused = 'launched';
  await assert.rejects(runner.drive(id), /no room/);
  await runner.fail(id, new Error('no room'));
  assert.equal(book.read(id), null);
  assert.equal(counts.losses, 1);
});

test('a program whose task was taken away while it started is ended', async () => {
  const { life, runner, id, counts, onLaunch } = await ordered();
  onLaunch(() => life.move(id, 'cancelled'));
  await runner.drive(id);
  assert.deepEqual([counts.launches, counts.losses], [1, 1]);
});
