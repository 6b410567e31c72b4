import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anOrder } from '../../../test/support/order/an-order.ts';
import {
  admitted,
  collected,
  executionOf,
  leased,
  rolledBack,
  snapshotted,
} from '../../../test/support/run/an-execution.ts';
import { workAfterReport } from './recorded-changes.ts';

const APART = snapshotted({ workplace: { kind: 'worktree', folder: '/data/worktrees/T-1' } });
const CHANGED = collected('run-1', { changed: [{ path: 'a.txt', status: 'created', sha256: null, sizeBytes: null }] });
const RESTORED = rolledBack({ files: [{ path: 'a.txt', status: 'restored', method: 'GIT' }] as never });

test('only work in a worktree that left a change waits to be applied', () => {
  const run = [leased('run-1'), CHANGED];
  assert.equal(workAfterReport(executionOf(anOrder(), admitted(), APART, run)), 'waiting');
  assert.equal(workAfterReport(executionOf(anOrder(), admitted(), snapshotted(), run)), null);
  assert.equal(workAfterReport(executionOf(anOrder(), admitted(), APART, [leased('run-1'), collected('run-1')])), null);
  assert.equal(workAfterReport(executionOf(anOrder(), admitted(), APART, run, RESTORED)), null);
  assert.equal(workAfterReport(executionOf(anOrder())), null);
});
