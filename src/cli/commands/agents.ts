import type { Vendor } from '../../agents/vendors.ts';
import type { AgentView } from '../../api/contract.ts';
import { listAgents } from '../agent-views.ts';
import { seenFolderOf } from '../call-folder.ts';
import { type Answer, type Command, UsageError } from '../command.ts';
import { agentText, installText } from '../output/agent-text.ts';
import { withheldText } from '../output/config-text.ts';
import type { Style } from '../output/style.ts';

/** An agent as programs see it. */
type AgentRow = Omit<AgentView, 'role' | 'isDefault'>;

export const agentsCommand: Command = {
  usage: 'baton agents [--json]',
  about: [
    'Lists the agents of this machine: vendors whose program is on the PATH, agents of the configuration, and demo, which is',
    'built in. Each with the version of its program, its model, whether it is ready for work or what to do first, and below',
    'that whether it is logged in and sandboxed and what it can do and report. Then the command that installs each vendor',
    'that is not here. Nothing is asked of a model. --json prints one agent a line.',
  ].join(' '),
  examples: ['baton agents', 'baton agents --json', 'baton config set default_agent demo'],
  ignores: ['key'],
  flags: {},
  async run(call): Promise<Answer<AgentRow>> {
    if (call.words.length > 0) throw new UsageError('agents: takes no arguments', 'baton agents');
    seenFolderOf(call);
    const { agents, withheld, notInstalled } = await listAgents(call);
    return {
      values: agents.map(({ role: _role, isDefault: _isDefault, ...row }) => row),
      human: ({ name }, style) => humanText(agents, name, { style, notInstalled }),
      summary: () => withheldText(withheld),
      exitCode: () => 0,
    };
  },
};

/** The text of one agent; the last one is followed by the vendors that are not here. */
function humanText(
  agents: readonly AgentView[],
  name: string,
  { style, notInstalled }: { readonly style: Style; readonly notInstalled: readonly Vendor[] },
): string | null {
  const agent = agents.find((each) => each.name === name);
  if (agent === undefined) return null;
  const text = agentText(agent, agents, style);
  return agent === agents.at(-1) && notInstalled.length > 0 ? `${text}\n\n${installText(notInstalled)}` : text;
}
