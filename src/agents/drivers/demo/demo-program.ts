import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How the demo agent is started, and what its process must be able to read. */
export interface DemoProgram {
  readonly argv: readonly [program: string, file: string];
  readonly readPaths: readonly string[];
}

/** Beside this file in the source, where Node reads it with all it imports; one file of its own in the bundle. */
export function demoProgram(): DemoProgram {
  const here = dirname(fileURLToPath(import.meta.url));
  const source = join(here, 'demo-agent.ts');
  if (existsSync(source)) return { argv: [process.execPath, source], readPaths: [join(here, '../../../../src')] };
  const built = [here, dirname(here)].map((folder) => join(folder, 'demo-agent.js')).find((file) => existsSync(file));
  if (built === undefined) throw new Error(`the demo agent is missing: there is no demo-agent.js at ${here}`);
  return { argv: [process.execPath, built], readPaths: [built] };
}
