import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestLedger } from '../../../test/support/test-ledger.ts';
import { MIB, MIRROR_BASES_PER_TASK_MAX } from '../../domain/limits.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { Command } from '../commit-queue.ts';
import { keepMirrorBase, selectMirrorBase } from './mirror-files.ts';

const BASES_BYTES_MAX = 2 * MIB;
const taskId = 'TASK-2026-01-01-001' as TaskName;
const keep: Command<{ revision: number; content: string }, object> = (tx, base) => {
  keepMirrorBase(tx, { taskId, ...base });
  return {};
};

async function keptOf(contents: readonly string[]) {
  const { ledger } = openTestLedger();
  for (const [at, content] of contents.entries()) await ledger.submit(keep, { revision: at + 1, content });
  const sum = ledger.read.one('SELECT count(*) AS count, sum(length(content)) AS characters FROM mirror_bases');
  return { ledger, count: Number(sum?.count), characters: Number(sum?.characters) };
}

test('old texts of a file are bounded in number', async () => {
  const { ledger, count } = await keptOf(Array.from({ length: 50 }, (_, at) => `text ${at}`));
  assert.equal(count, MIRROR_BASES_PER_TASK_MAX);
  assert.equal(selectMirrorBase(ledger.read, taskId, 50), 'text 49');
  assert.equal(selectMirrorBase(ledger.read, taskId, 50 - MIRROR_BASES_PER_TASK_MAX), null);
});

test('old texts of a long file are bounded in size, and the newest is there whatever its size', async () => {
  const long = (at: number) => `${at} ${'x'.repeat(400_000)}`;
  const { ledger, count, characters } = await keptOf([1, 2, 3, 4, 5, 6, 7, 8].map(long));
  assert.ok(characters <= BASES_BYTES_MAX, String(characters));
  assert.ok(count >= 2, String(count));
  assert.equal(selectMirrorBase(ledger.read, taskId, 8), long(8));
  await ledger.submit(keep, { revision: 9, content: 'y'.repeat(BASES_BYTES_MAX + 1) });
  assert.equal(selectMirrorBase(ledger.read, taskId, 9)?.length, BASES_BYTES_MAX + 1);
  assert.equal(ledger.read.one('SELECT count(*) AS count FROM mirror_bases')?.count, 1);
});
