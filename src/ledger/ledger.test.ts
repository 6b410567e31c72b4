import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEW_TASK } from '../../test/support/task/task-life.ts';
import { openTestLedger, type TestLedger } from '../../test/support/test-ledger.ts';
import { IDEMPOTENCY_KEPT_MS } from '../domain/limits.ts';
import { isRefusal } from '../domain/refusal.ts';
import { forgetAnswers, prepareLedger } from '../operations/ledger-upkeep.ts';
import { createTask, type NewTask } from '../operations/task/create-task.ts';
import { lastSeq } from './statements/events.ts';

function createOnce(at: TestLedger, key: string, facts: Partial<NewTask> = {}) {
  return at.ledger.submitOnce(key, createTask, { ...NEW_TASK, ...facts });
}

test('the same key gives the same answer, also after the ledger was opened again', async () => {
  const at = openTestLedger();
  const first = await createOnce(at, 'k');
  assert.deepEqual(await createOnce(at, 'k'), first);
  at.reopen();
  assert.deepEqual(await createOnce(at, 'k'), first);
  assert.equal(lastSeq(at.ledger.read), 1);
});

test('the same key twice in one batch makes one task', async () => {
  const at = openTestLedger();
  const [one, two] = await Promise.all([createOnce(at, 'k'), createOnce(at, 'k')]);
  assert.deepEqual(one, two);
  assert.equal(lastSeq(at.ledger.read), 1);
});

test('a key that was used for another request is refused', async () => {
  const at = openTestLedger();
  await createOnce(at, 'k');
  const answer = await createOnce(at, 'k', { title: 'another' });
  assert.equal(isRefusal(answer) && answer.code, 'idempotency_key_reused');
});

test('a refusal uses no key up', async () => {
  const at = openTestLedger();
  assert.ok(isRefusal(await createOnce(at, 'k', { parentId: 'TASK-2026-02-09-001' as NewTask['parentId'] })));
  assert.ok(!isRefusal(await createOnce(at, 'k')));
});

const DAY_MS = 24 * 3_600_000;

test('a key is kept seven days by the clock, and let go by the opener after', async () => {
  const at = openTestLedger();
  const first = await createOnce(at, 'k');
  for (let elapsedMs = 0; elapsedMs < IDEMPOTENCY_KEPT_MS; elapsedMs += DAY_MS) {
    at.clock.step(DAY_MS);
    await at.ledger.submit(prepareLedger, {});
    assert.deepEqual(await createOnce(at, 'k'), first);
  }
  for (const _ of [1, 2]) {
    at.clock.step(DAY_MS);
    await at.ledger.submit(prepareLedger, {});
  }
  assert.notDeepEqual(await createOnce(at, 'k'), first);
});

test('a wall clock that jumps ahead by weeks and back forgets no key, with and without a reboot', async () => {
  const at = openTestLedger();
  const first = await createOnce(at, 'k');
  for (const isRebooted of [false, true]) {
    await at.ledger.submit(prepareLedger, {});
    at.clock.jumpWall(8 * DAY_MS);
    if (isRebooted) at.clock.reboot();
    for (const _ of [1, 2, 3]) {
      at.clock.step(60_000);
      await at.ledger.submit(forgetAnswers, {});
      at.reopen();
      await at.ledger.submit(prepareLedger, {});
    }
    at.clock.jumpWall(-8 * DAY_MS);
    await at.ledger.submit(prepareLedger, {});
    assert.deepEqual(await createOnce(at, 'k'), first);
  }
});

test('a ledger keeps its project for good', async () => {
  const at = openTestLedger();
  const made = await at.ledger.submit(prepareLedger, {});
  at.reopen();
  assert.deepEqual(await at.ledger.submit(prepareLedger, {}), made);
});
