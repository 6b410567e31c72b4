import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLedger } from '../../test/support/ledger/check-ledger.ts';
import { countCommits } from '../../test/support/ledger/count-commits.ts';
import { NEW_TASK } from '../../test/support/task/task-life.ts';
import { openTestLedger, type TestLedger } from '../../test/support/test-ledger.ts';
import { COMMANDS_PER_COMMIT_MAX } from '../domain/limits.ts';
import { isRefusal, refuse } from '../domain/refusal.ts';
import { createTask } from '../operations/task/create-task.ts';
import type { Command } from './commit-queue.ts';
import { LedgerFault } from './fault.ts';
import { upsertMeta } from './statements/meta.ts';

const breaks: Command<object, never> = () => {
  throw new Error('planted');
};
const refusesLate: Command<object, string> = (tx) => {
  upsertMeta(tx, 'late', '1');
  return refuse('invalid_argument', 'too late');
};

function count(at: TestLedger, what: 'tasks' | 'events'): unknown {
  const db = at.look();
  const rows = db.prepare(`SELECT count(*) AS rows FROM ${what}`).get()?.rows;
  db.close();
  return rows;
}

function create(at: TestLedger, title = 'one') {
  return at.ledger.submit(createTask, { ...NEW_TASK, title });
}

async function faultOf(answer: Promise<unknown>): Promise<LedgerFault> {
  const fault = await answer.then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(fault instanceof LedgerFault);
  return fault;
}

test('commands that arrive together are one commit', async () => {
  const at = openTestLedger();
  const before = countCommits(at.file);
  await Promise.all(Array.from({ length: 100 }, (_, place) => create(at, `task ${place}`)));
  assert.equal(countCommits(at.file) - before, 1);
  assert.equal(count(at, 'tasks'), 100);
});

test('commands that come one after the other are a commit each', async () => {
  const at = openTestLedger();
  const before = countCommits(at.file);
  for (const title of ['a', 'b', 'c']) await create(at, title);
  assert.equal(countCommits(at.file) - before, 3);
});

test('a crowd is taken in bounded batches, in order', async () => {
  const at = openTestLedger();
  const before = countCommits(at.file);
  const answers = await Promise.all(Array.from({ length: COMMANDS_PER_COMMIT_MAX + 1 }, () => create(at)));
  assert.equal(countCommits(at.file) - before, 2);
  const names = answers.map((answer) => (isRefusal(answer) ? answer.code : answer.task.id));
  assert.deepEqual(names, names.toSorted());
});

test('inside an answer another connection sees what was answered', async () => {
  const at = openTestLedger();
  const seen = create(at).then(() => count(at, 'tasks'));
  assert.equal(await seen, 1);
});

test('a command that throws fails its whole batch, nothing is kept, and the process is told once to end', async () => {
  const at = openTestLedger();
  await create(at, 'kept');
  const batch = [create(at, 'before'), at.ledger.submit(breaks, {}), create(at, 'after')];
  for (const answer of batch) {
    const fault = await faultOf(answer);
    assert.deepEqual([fault.retryable, fault.operation], [true, 'commit']);
    assert.match(String((fault.cause as Error).message), /planted/);
  }
  assert.deepEqual([count(at, 'tasks'), count(at, 'events')], [1, 1]);
  assert.equal(at.faults.length, 1);
  assert.equal((await faultOf(create(at, 'later'))).retryable, true);
  assert.equal(at.faults.length, 1);
});

test('what waited behind the batch that failed fails with it', async () => {
  const at = openTestLedger();
  const crowd = Array.from({ length: COMMANDS_PER_COMMIT_MAX }, () => at.ledger.submit(breaks, {}));
  const behind = create(at);
  await Promise.all([...crowd, behind].map(faultOf));
  assert.deepEqual([count(at, 'tasks'), at.faults.length], [0, 1]);
});

test('a refusal after a write is a bug and is treated as a throw', async () => {
  const at = openTestLedger();
  const fault = await faultOf(at.ledger.submit(refusesLate, {}));
  assert.match(String((fault.cause as Error).message), /refused after it had written/);
  assert.equal(at.faults.length, 1);
});

test('a refusal before any write is an answer, and its neighbours are kept', async () => {
  const at = openTestLedger();
  const [first, refused, last] = await Promise.all([create(at), create(at, ' '), create(at)]);
  assert.deepEqual([isRefusal(first), isRefusal(refused), isRefusal(last)], [false, true, false]);
  assert.equal(count(at, 'tasks'), 2);
});

test('the log has no hole after a batch that was rolled back', async () => {
  const at = openTestLedger();
  await create(at);
  const lost = create(at);
  await Promise.all([faultOf(lost), faultOf(at.ledger.submit(breaks, {}))]);
  at.reopen();
  const again = await create(at);
  assert.ok(!isRefusal(again));
  assert.deepEqual(
    again.events.map(({ seq }) => seq),
    [2],
  );
  assert.deepEqual(checkLedger(at.ledger.database), []);
});

test('all commands of a batch see one instant, and the listener is told what they touched', async () => {
  const at = openTestLedger();
  const told: string[][] = [];
  const stop = at.ledger.onCommitted((touched) => told.push([...touched]));
  const [one, two] = await Promise.all([create(at), create(at)]);
  assert.ok(!isRefusal(one) && !isRefusal(two));
  assert.equal(one.task.createdAt, two.task.createdAt);
  assert.deepEqual(told, [[one.task.id, two.task.id]]);
  stop();
  await create(at);
  assert.equal(told.length, 1);
});
