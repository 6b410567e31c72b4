import { loadAgentPlaces, loadConfigSources } from '../../config/load.ts';
import { loadConfig } from '../../config/load-config.ts';
import { configOf } from '../../config/settings.ts';
import { agentsHere } from '../../node/agent-drivers.ts';
import { dataFolderOf } from '../call-folder.ts';
import { type Answer, type Command, UsageError } from '../command.ts';
import { type AgentView, agentLine } from '../output/agent-text.ts';
import { withheldText } from '../output/config-text.ts';

export const agentsCommand: Command = {
  usage: 'baton agents [--json]',
  about: [
    'Lists the agents that the configuration names, and demo, which is built in: driver, provider, model, and whether',
    'work can be given to them. --json gives one agent a line.',
  ].join('\n'),
  examples: ['baton agents', 'baton agents --json', 'baton config set default_agent demo'],
  flags: {},
  async run(call): Promise<Answer<AgentView>> {
    if (call.words.length > 0) throw new UsageError('agents: takes no words', 'baton agents');
    const { settings, withheld } = loadConfig(loadConfigSources(dataFolderOf(call)));
    const { agents = {}, default_agent: chosen } = configOf(settings);
    const views = agentsHere({ agents, ...loadAgentPlaces() }).map(
      ({ name, driver, provider, model, role, missing }): AgentView => ({
        name,
        driver,
        provider,
        model,
        role,
        isDefault: name === chosen,
        isReady: missing === null,
        missing,
      }),
    );
    return {
      values: views,
      human: (agent, look) => agentLine(agent, views, look),
      summary: () => withheldText(withheld),
      exitCode: () => 0,
    };
  },
};
