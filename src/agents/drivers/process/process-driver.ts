import { refuse } from '../../../domain/refusal.ts';
import type { AgentDriver } from '../../agent-driver.ts';
import { WireReader } from './wire-reader.ts';

/** Any program: the TASK on stdin, messages on stdout. */
export const processDriver: AgentDriver = {
  name: 'process',
  // What a program talks to is its own affair: it has the network that its order grants, and no more.
  hasRemoteModel: false,
  plan({ agent, taskText, workspace }) {
    if (agent.command === null) return refuse('E_AGENT_NOT_FOUND', `${agent.name} has no command to be started by`);
    return {
      argv: agent.command,
      env: {},
      envNames: [],
      stdin: taskText,
      readPaths: agent.ownPaths.filter((path) => !isWithin(workspace, path)),
      writePaths: [],
      hosts: [],
    };
  },
  reader: ({ order }) => new WireReader(order),
};

/** The folder of a program that the workspace itself lies in would show what the order does not grant. */
function isWithin(path: string, folder: string): boolean {
  return `${path}/`.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
