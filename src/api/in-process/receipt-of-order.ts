import { existsSync, readFileSync } from 'node:fs';
import { findStaleFiles } from '../../checks/checked-files.ts';
import { receiptFile, verifyReceipt } from '../../checks/receipt.ts';
import type { RunWorld } from '../../dispatch/run-world.ts';
import { placesOf } from '../../dispatch/workplace/work-folder.ts';
import type { Execution } from '../../domain/execution/execution.ts';
import { readJsonText } from '../../protocols/read-json-text.ts';
import type { OrderReport } from '../order-contract.ts';

/** The receipt of an order, and the files that changed since it was written. */
export async function receiptOf(world: RunWorld, task: string, execution: Execution): Promise<OrderReport['receipt']> {
  const file = receiptFile(world.dataFolder, task);
  if (execution.reported === null || !existsSync(file)) return null;
  const verdict = verifyReceipt(readFileSync(file, 'utf8'), readJsonText);
  if (verdict.verdict !== 'valid') return { file, staleFiles: [] };
  const stale = await findStaleFiles(verdict.receipt, placesOf(world, execution));
  return { file, staleFiles: stale.map(({ path }) => path) };
}
