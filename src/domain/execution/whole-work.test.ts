import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import { admitted, collected, executionOf, leased, snapshotted } from '../../../test/support/run/an-execution.ts';
import type { Execution } from './execution.ts';
import type { ChangedFile } from './findings.ts';
import { wholeWork } from './whole-work.ts';

type Changes = Readonly<Record<string, ChangedFile['status']>>;

const APART = snapshotted({ workplace: { kind: 'worktree', folder: '/data/worktrees/T-1' } });

function round(changes: Changes, place = snapshotted()): Execution {
  const changed = Object.entries(changes).map(([path, status]) => ({ path, status, sha256: null, sizeBytes: null }));
  return executionOf(anOrder(), admitted(), place, [leased('run-1'), collected('run-1', { changed })]);
}

function whole(rounds: readonly Execution[], missing: readonly string[] = []): Changes | null {
  const [last, ...earlier] = rounds.toReversed();
  const found = last ? wholeWork(last, earlier, (path) => !missing.includes(path)) : null;
  return found && Object.fromEntries(found.files.map(({ path, status }) => [path, status]));
}

test('a file that several rounds changed counts once, by what they did to it together', () => {
  const first = round({ a: 'created', b: 'updated', c: 'deleted', d: 'created', e: 'updated' });
  const second = round({ a: 'updated', b: 'deleted', c: 'created', d: 'deleted' });
  assert.deepEqual(whole([first, second], ['b', 'c', 'd']), { a: 'created', b: 'deleted', c: 'updated', e: 'updated' });
  assert.deepEqual(whole([first, round({})], ['c']), {
    a: 'created',
    b: 'updated',
    c: 'deleted',
    d: 'created',
    e: 'updated',
  });
});

test('a file that a person removed or brought back between the rounds is no part of the work', () => {
  assert.deepEqual(whole([round({ a: 'created', b: 'deleted' }), round({ c: 'created' })], ['a']), { c: 'created' });
});

test('a first round, a worktree, and rounds before one that was undone or done elsewhere count alone', () => {
  const made = round({ a: 'created' });
  const undone = { ...round({ b: 'created' }), workFacts: [{ kind: 'undone' } as Execution['workFacts'][number]] };
  assert.equal(whole([made]), null);
  assert.equal(whole([made, round({}, APART)]), null);
  assert.equal(whole([made, undone, round({})]), null);
  assert.deepEqual(whole([made, undone, round({ c: 'created' }), round({})]), { c: 'created' });
  assert.equal(whole([made, round({ b: 'created' }, APART), round({})]), null);
});
