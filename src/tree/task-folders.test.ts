import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { suiteScratch } from '../../test/support/test-ledger.ts';
import type { TaskName } from '../domain/task/task.ts';
import { TaskFolders } from './task-folders.ts';

const TASK = 'TASK-2026-02-09-001' as TaskName;
const scratch = suiteScratch();

test('the folder of a later run waits for the mirror, which is about to show the end of the run before', async () => {
  const root = join(scratch, 'late-mirror');
  for (const status of ['in-progress', 'ready']) mkdirSync(join(root, 'tasks', status), { recursive: true });
  writeFileSync(join(root, 'tasks/in-progress', `${TASK}.md`), 'the run before');
  const at = join(root, 'tasks/in-progress', TASK);
  let isMoved = false;
  const moveLate = () => {
    if (!isMoved && existsSync(at)) renameSync(at, join(root, 'tasks/ready', TASK));
    isMoved = true;
  };
  const folders = new TaskFolders({ root, settled: async () => moveLate() });
  const opened = await folders.open(TASK);
  moveLate();
  assert.equal(opened?.root, at);
  assert.ok(existsSync(join(at, 'inputs')), 'its agent finds the folder where it was made');
});
