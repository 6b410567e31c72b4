import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * The answer to an order, for whoever looks into the folder of its runs. It is there whole or not at all, and not synced:
 * the ledger has it too.
 */
export async function writeResponse(dataFolder: string, task: string, response: object): Promise<void> {
  const file = join(dataFolder, 'runs', task, 'response.json');
  const draft = join(dirname(file), `.response.json.${process.pid}.tmp`);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(draft, `${JSON.stringify(response, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
}
