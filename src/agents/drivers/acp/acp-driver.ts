import { refuse } from '../../../domain/refusal.ts';
import { isWithin } from '../../../domain/work/path-text.ts';
import type { AgentDriver } from '../../agent-driver.ts';
import { configuredNeeds } from '../../configured-needs.ts';
import { AcpConversation, initializeRequest } from './acp-conversation.ts';

/** Any agent of the Agent Client Protocol, by its command. Its hosts, places and variables are those that the user names. */
export const acpDriver: AgentDriver = {
  name: 'acp',
  can: { say: false, resume: true, askPermission: true, usage: 'end', thoughts: true },
  hasRemoteModel: true,
  needs: ({ agent, variables }) => configuredNeeds(agent, variables),
  plan({ agent, workspace }) {
    if (agent.command === null) return refuse('agent-not-found', `${agent.name} has no command to start it with`);
    return {
      argv: agent.command,
      env: {},
      envNames: agent.env ?? [],
      stdin: initializeRequest(),
      keepsStdinOpen: true,
      readPaths: agent.ownPaths.filter((path) => !isWithin(path, workspace)),
    };
  },
  converse: (request) => new AcpConversation(request),
};
