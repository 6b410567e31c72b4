import type { AgentView } from '../../api/contract.ts';
import { listAgents } from '../agent-views.ts';
import { seenFolderOf } from '../call-folder.ts';
import { type Answer, type Command, UsageError } from '../command.ts';
import { agentLine } from '../output/agent-text.ts';
import { withheldText } from '../output/config-text.ts';

export const agentsCommand: Command = {
  usage: 'baton agents [--json]',
  about: [
    'Lists the agents in the configuration, and demo, which is built in: driver, provider, model, and whether the agent is',
    'ready for work. --json prints one agent a line.',
  ].join('\n'),
  examples: ['baton agents', 'baton agents --json', 'baton config set default_agent demo'],
  ignores: ['key'],
  flags: {},
  async run(call): Promise<Answer<AgentView>> {
    if (call.words.length > 0) throw new UsageError('agents: takes no arguments', 'baton agents');
    seenFolderOf(call);
    const { agents, withheld } = listAgents(call);
    return {
      values: agents,
      human: (agent, look) => agentLine(agent, agents, look),
      summary: () => withheldText(withheld),
      exitCode: () => 0,
    };
  },
};
