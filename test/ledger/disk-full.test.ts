import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { statusOf as statusAnswer } from '../../src/calls/task/status-call.ts';
import { isRefusal } from '../../src/domain/refusal.ts';
import { selectTask } from '../../src/ledger/statements/tasks.ts';
import { OrderStore } from '../../src/operations/order/order-store.ts';
import { claimTask } from '../../src/operations/task/claim-task.ts';
import { createTask } from '../../src/operations/task/create-task.ts';
import { checkLedger } from '../support/ledger/check-ledger.ts';
import { NEW_TASK } from '../support/task/task-life.ts';
import { openTestLedger, type TestLedger } from '../support/test-ledger.ts';

const KIB = 1024;
const folder = mkdtempSync(join(tmpdir(), 'baton-small-disk-'));
const mounts: string[] = [];
after(() => {
  for (const mount of mounts) spawnSync('umount', ['-l', mount]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** A disk of its own, so small that a test can fill it; null where this user may not mount. */
function smallDisk(kib: number): string | null {
  const mount = join(folder, `${kib}k`);
  mkdirSync(mount);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'baton', mount]).status !== 0) return null;
  mounts.push(mount);
  return mount;
}

function takeSpace(disk: string): string {
  const filler = join(disk, 'filler');
  writeFileSync(filler, '');
  for (;;) {
    try {
      writeFileSync(filler, Buffer.alloc(4 * KIB), { flag: 'a' });
    } catch {
      // The disk is full now, as it should be.
      return filler;
    }
  }
}

function titles(at: TestLedger): string[] {
  return at.ledger.read.all('SELECT title FROM tasks ORDER BY number').map((row) => String(row.title));
}

function statusOf(at: TestLedger, id: string): unknown {
  return selectTask(at.ledger.read, id)?.status;
}

function crowd(at: TestLedger, title: string) {
  const facts = { ...NEW_TASK, body: 'x'.repeat(20 * KIB) };
  return [0, 1, 2].map((place) => at.ledger.submit(createTask, { ...facts, title: `${title} ${place}` }));
}

for (const kib of [1_536, 2_048, 4_096]) {
  test(`a disk of ${kib} KiB that fills up is answered, survived, and written again once there is room`, async (context) => {
    const disk = smallDisk(kib);
    if (disk === null) return context.skip('needs the right to mount a tmpfs (root)');
    const at = openTestLedger(join(disk, 'data'));
    const first = await at.ledger.submit(createTask, { ...NEW_TASK, title: 'first' });
    assert.ok(!isRefusal(first));
    const filler = takeSpace(disk);
    const claim = { taskId: first.task.id, agent: 'swe-backend', process: null };
    // The claim stands before what is too much: nothing of it may be left, in the file or in memory.
    const refused = await Promise.all([at.ledger.submit(claimTask, claim), ...crowd(at, 'lost'), ...crowd(at, 'lost')]);
    const codes = refused.map((answer) => isRefusal(answer) && `${answer.code} ${answer.retryable}`);
    assert.deepEqual(codes, Array(7).fill('storage_full true'));
    assert.deepEqual([titles(at), statusOf(at, first.task.id), at.faults], [['first'], 'backlog', []]);
    truncateSync(filler, 0);
    const claimed = await at.ledger.submit(claimTask, claim);
    assert.deepEqual(isRefusal(claimed) ? claimed.code : [claimed.run.fence, claimed.task.status], [1, 'in-progress']);
    assert.ok((await Promise.all(crowd(at, 'again'))).every((answer) => !isRefusal(answer)));
    at.reopen();
    assert.deepEqual(titles(at), ['first', 'again 0', 'again 1', 'again 2']);
    assert.deepEqual(checkLedger(at.ledger.database), []);
    at.ledger.close();
  });
}

test('a step of an order waits for room without a busy loop, and status says that the disk is full', async (context) => {
  const disk = smallDisk(2_560);
  if (disk === null) return context.skip('needs the right to mount a tmpfs (root)');
  const at = openTestLedger(join(disk, 'data'));
  await at.ledger.submit(createTask, { ...NEW_TASK, title: 'first' });
  const filler = takeSpace(disk);
  const pauses: number[] = [];
  const fullSinceMs = () => at.ledger.fullSinceMs;
  const pause = async (milliseconds: number) => {
    pauses.push(milliseconds);
    const { incidents } = statusAnswer({
      read: at.ledger.read,
      dataFolder: disk,
      hasAgent: () => true,
      fullSinceMs,
    });
    assert.deepEqual(
      incidents.map(({ kind }) => kind),
      ['storage_full'],
    );
    if (pauses.length === 3) truncateSync(filler, 0);
  };
  const facts = { ...NEW_TASK, title: 'waits', body: 'x'.repeat(200 * KIB) };
  const written = await new OrderStore(at.ledger, { pause }).write('admitted', createTask, facts);
  assert.deepEqual([written?.task.title, pauses], ['waits', [1_000, 1_000, 1_000]]);
  assert.equal(fullSinceMs(), null);
  at.ledger.close();
});
