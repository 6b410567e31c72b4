import { isWithin } from '../../../domain/path-text.ts';
import { refuse } from '../../../domain/refusal.ts';
import type { AgentDriver, AgentFacts } from '../../agent-driver.ts';
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
      readPaths: ownPaths(agent, workspace),
      writePaths: [],
      hosts: [],
    };
  },
  reader: ({ order }) => new WireReader(order),
};

/** A folder that the workspace itself lies in would show what the order does not grant: of it, only the files named. */
function ownPaths({ command, ownPaths }: AgentFacts, workspace: string): string[] {
  return ownPaths.flatMap((path) =>
    isWithin(path, workspace) ? (command ?? []).filter((word) => word !== path && isWithin(path, word)) : [path],
  );
}
