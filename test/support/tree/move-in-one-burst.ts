import assert from 'node:assert/strict';
import { readdirSync, renameSync } from 'node:fs';
import { OpenTree } from '../../../src/open-tree/open-tree.ts';
import { createTask } from '../../../src/operations/task/create-task.ts';
import { moveTask } from '../../../src/operations/task/move-task.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { systemFolderWatch } from '../../../src/platform/files/folder-watch.ts';
import { randomIds } from '../../../src/platform/ids.ts';
import { systemTimer } from '../../../src/platform/timer.ts';
import { Mirror } from '../../../src/tree/mirror.ts';
import { NEW_TASK, TaskLife } from '../task/task-life.ts';
import { openTestLedger, suiteScratch } from '../test-ledger.ts';

// Asked for before any test runs, so that it goes after the last of them.
suiteScratch();

const TURN_MS = 100;

/** Moves so many files at once, as a person would, with the system's own hints; nobody else may have to wait long. */
export async function moveInOneBurst(moves: number): Promise<void> {
  const life = new TaskLife(openTestLedger());
  const { ledger, folder: root } = life.at;
  const parts = { ledger, root, clock: systemClock(), ids: randomIds(), timer: systemTimer() };
  const mirror = new Mirror({ ...parts, areEditsJudged: true });
  const open = new OpenTree({ ...parts, mirror, watch: systemFolderWatch });
  const made = await Promise.all(Array.from({ length: moves }, () => life.do(createTask, NEW_TASK)));
  open.start();
  mirror.start();
  await mirror.settled();
  await open.reconcileAll();
  const names = readdirSync(`${root}/tasks/backlog`);
  assert.equal(names.length, moves);
  for (const name of names) renameSync(`${root}/tasks/backlog/${name}`, `${root}/tasks/ready/${name}`);
  const moved = () => Number(ledger.read.one("SELECT count(*) AS tasks FROM tasks WHERE status = 'ready'")?.tasks);
  let latestMs = 0;
  while (moved() < moves) {
    const before = performance.now();
    await parts.timer.pause(TURN_MS);
    latestMs = Math.max(latestMs, performance.now() - before - TURN_MS);
  }
  await open.reconcileAll();
  await mirror.settled();
  assert.equal(readdirSync(`${root}/tasks/ready`).length, moves);
  assert.equal(readdirSync(`${root}/tasks/backlog`).length, 0);
  const events = ledger.read.all('SELECT type, actor, count(*) AS events FROM events GROUP BY type, actor');
  assert.deepEqual(
    events.map(({ type, actor, events: count }) => `${count} ${type} by ${actor}`),
    [`${moves} task.created by operator`, `${moves} task.transitioned by filesystem`],
  );
  assert.ok(latestMs < 500, `somebody had to wait ${latestMs} ms`);
  await life.do(moveTask, { taskId: made[0]?.task.id as never, to: 'blocked', actor: 'operator', reason: null });
  await open.stop();
  await mirror.stop();
}
