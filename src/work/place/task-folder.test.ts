import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aGrant } from '../../../test/support/agent/a-launch.ts';
import { anOrder } from '../../../test/support/order/an-order.ts';
import { executionOf } from '../../../test/support/run/an-execution.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { taskFolderOf, withTaskFolder } from './task-folder.ts';

/** The paths of a sandbox that an order with these paths may read and write beside its workspace. */
async function shown(readPaths: readonly string[], writePaths: readonly string[]) {
  const order = anOrder({ access: { ...anOrder().access, readPaths, writePaths } });
  const open = { task: { id: 'TASK-2026-02-09-001' as TaskName }, execution: executionOf(order) } as OpenOrder;
  const folder = await taskFolderOf({ open: async () => ({ root: '/data/t', inputs: [] }), close: () => {} }, open);
  if (folder === null) return null;
  const grant = withTaskFolder({ ...aGrant('/ws'), readPaths: [], writePaths: [] }, folder);
  return { read: grant.readPaths, written: grant.writePaths };
}

test('an agent reads the inputs of its task, and writes its work and outputs where it may write at all', async () => {
  const read = ['/baton/task/inputs'];
  const written = ['/baton/task/work/', '/baton/task/outputs/'];
  assert.deepEqual(await shown(['/ws'], ['/ws']), { read, written });
  assert.deepEqual(await shown(['/ws'], []), { read, written: [] });
  assert.equal(await shown([], []), null);
});
