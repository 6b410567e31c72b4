import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentDriver } from '../../agent-driver.ts';
import { readerOf, stdinOf } from '../process/process-driver.ts';

/** Baton's own example agent: a program that speaks as the process driver expects, and uses no model. */
export const demoDriver: AgentDriver = {
  name: 'demo',
  tracesItself: true,
  can: { say: false, resume: false, askPermission: false, usage: 'live', thoughts: true },
  hasRemoteModel: false,
  get ownPaths() {
    return demoProgram().readPaths;
  },
  plan({ prompt, agent }) {
    const { argv, readPaths } = demoProgram();
    return { argv, env: {}, envNames: [], stdin: stdinOf(prompt, agent), readPaths };
  },
  converse: readerOf,
};

interface DemoProgram {
  readonly argv: readonly [program: string, file: string];
  readonly readPaths: readonly string[];
}

/** In the source it is beside this file, and Node reads it with its imports; in the bundle it is one file. */
function demoProgram(): DemoProgram {
  const here = dirname(fileURLToPath(import.meta.url));
  const source = join(here, 'demo-agent.ts');
  if (existsSync(source)) return { argv: [process.execPath, source], readPaths: [join(here, '../../../../src')] };
  const built = [here, dirname(here)].map((folder) => join(folder, 'demo-agent.js')).find((file) => existsSync(file));
  if (built === undefined) throw new Error(`the demo agent is missing: there is no demo-agent.js at ${here}`);
  return { argv: [process.execPath, built], readPaths: [built] };
}
