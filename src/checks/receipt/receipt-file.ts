import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeDurably } from '../../platform/durable-files.ts';

/** Where the receipt of a task's latest run lies. */
export function receiptFile(dataFolder: string, task: string): string {
  return join(dataFolder, 'runs', task, 'receipt.json');
}

/** A receipt is proof, and no ledger could write it anew: unlike the tree around it, it is synced. */
export async function writeReceipt(dataFolder: string, task: string, text: string): Promise<string> {
  const file = receiptFile(dataFolder, task);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  await writeDurably(file, text);
  return file;
}
