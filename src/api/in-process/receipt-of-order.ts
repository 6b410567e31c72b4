import { existsSync, readFileSync } from 'node:fs';
import { findStaleFiles } from '../../checks/checked-files.ts';
import { receiptFile, verifyReceipt } from '../../checks/receipt.ts';
import type { RunWorld } from '../../dispatch/run-world.ts';
import { placesOf } from '../../dispatch/workplace/work-folder.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import type { Task } from '../../domain/task.ts';
import { isTakenBack } from '../../domain/work-state.ts';
import { readJsonText } from '../../protocols/read-json-text.ts';
import type { OrderReport } from '../order-contract.ts';

/** The receipt of an order, and the files that changed since it was written: those of the user, once work was applied. */
export async function receiptOf(world: RunWorld, task: Task, execution: Execution): Promise<OrderReport['receipt']> {
  const file = receiptFile(world.dataFolder, task.id);
  if (execution.reported === null || !existsSync(file)) return null;
  const verdict = verifyReceipt(readFileSync(file, 'utf8'), readJsonText);
  if (verdict.verdict !== 'valid' || isTakenBack(task.work)) return { file, staleFiles: [] };
  const stale = await findStaleFiles(verdict.receipt, placesOf(world, whereItIs(execution)));
  return { file, staleFiles: stale.map(({ path }) => path) };
}

/** Applied work is in the files of the user; its worktree may be gone. */
function whereItIs(execution: Execution): Execution {
  const { snapshotted, workFacts } = execution;
  const last = workFacts.at(-1);
  if (!snapshotted || last?.kind !== 'applied' || last.branch !== null) return execution;
  return { ...execution, snapshotted: { ...snapshotted, workplace: { kind: 'in-place' } } };
}
