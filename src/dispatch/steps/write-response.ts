import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeDurably } from '../../platform/durable-files.ts';

/** The answer to an order, for whoever looks into the folder of its runs. */
export async function writeResponse(dataFolder: string, task: string, response: object): Promise<void> {
  const file = join(dataFolder, 'runs', task, 'response.json');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  await writeDurably(file, `${JSON.stringify(response, null, 2)}\n`);
}
