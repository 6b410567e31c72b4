import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scratchFolder } from '../../../test/support/data-folder.ts';
import { openTestLedger } from '../../../test/support/test-ledger.ts';
import { refuse, refuseTask } from '../../domain/refusal.ts';
import type { Command } from '../../ledger/commit-queue.ts';
import { systemTimer } from '../../platform/timer.ts';
import { OrderStore } from './order-store.ts';

const { ledger } = openTestLedger(scratchFolder('order-store'));
const store = new OrderStore(ledger, systemTimer());

test('a fact that comes too late is left out: somebody moved the task meanwhile', async () => {
  const late: Command<object, object> = () => refuse('stale_run', 'run_1 does not hold TASK-1 any more');
  assert.equal(await store.write('collected', late, {}), null);
  const moved: Command<object, object> = () => refuseTask('invalid_transition', 'TASK-1 is blocked by now', 'TASK-1');
  assert.equal(await store.write('requeued', moved, {}), null);
});

test('any other refusal of a fact is thrown, with its code and sentence', async () => {
  const wrong: Command<object, object> = () => refuse('invalid_argument', 'no such field');
  await assert.rejects(
    store.write('settled', wrong, {}),
    /the fact settled was refused \(invalid_argument\): no such field/,
  );
});
