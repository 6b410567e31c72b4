import type { AgentDriver } from '../../agent-driver.ts';
import { WireReader } from '../process/wire-reader.ts';
import { demoProgram } from './demo-program.ts';

/** Built in: a program of Baton's own on the wire of the process driver. It uses no model, and says so. */
export const demoDriver: AgentDriver = {
  name: 'demo',
  hasRemoteModel: false,
  plan({ taskText }) {
    const { argv, readPaths } = demoProgram();
    return { argv, env: {}, envNames: [], stdin: taskText, readPaths, writePaths: [], hosts: [] };
  },
  reader: ({ order }) => new WireReader(order),
};
