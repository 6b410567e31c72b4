import type { Vendor } from '../../agents/vendors.ts';
import type { AgentView } from '../../api/contract.ts';
import type { ExternalAgentView } from '../../api/external/external-contract.ts';
import type { AgentStats } from '../../domain/agent/agent-stats.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { readLiveNode } from '../../platform/files/node-file.ts';
import { refused } from '../answer-of-call.ts';
import { seenFolderOf } from '../call-folder.ts';
import { type Answer, type Call, type CliCommand, UsageError } from '../command.ts';
import { externalAgentText } from '../external/external-text.ts';
import { withheldText } from '../node/config-text.ts';
import { nodeCommand } from '../node/node-command.ts';
import { askNode } from '../node/open-client.ts';
import type { Style } from '../output/style.ts';
import { agentStatsText } from './agent-stats-text.ts';
import { agentText, installText, notSeenText } from './agent-text.ts';
import { listAgents } from './agent-views.ts';

/** An agent as programs see it. */
type AgentRow = Omit<AgentView, 'role' | 'isDefault'> & { readonly external?: ExternalAgentView };

const stats = nodeCommand({
  usage: 'baton agents --stats',
  about: '',
  examples: [],
  flags: {},
  plan: () => async (client) => {
    const answer = await client.agentStats();
    if (isRefusal(answer)) return refused(answer);
    return {
      values: [...answer.stats],
      human: (value, style) => agentStatsText(value as AgentStats, style),
      summary: () => (answer.stats.length === 0 ? 'no agent has ended a task yet' : null),
      exitCode: () => 0,
    };
  },
});

/** From the ledger too, with those that were revoked. */
const external = nodeCommand({
  usage: 'baton agents --external',
  about: '',
  examples: [],
  flags: {},
  plan: () => async (client) => {
    const list = await client.listExternalAgents({ all: true });
    if (isRefusal(list)) return refused(list);
    return {
      values: [...list.agents],
      human: (value, style) => externalAgentText(value as ExternalAgentView, style),
      summary: () => (list.agents.length === 0 ? 'no external agent has enrolled: baton invite --help' : null),
      exitCode: () => 0,
    };
  },
});

export const agentsCommand: CliCommand = {
  usage: 'baton agents [--stats | --external] [--json]',
  about: [
    'Lists the agents of this machine: vendors whose program is on the PATH, agents of the configuration, and demo, which is',
    'built in. Each with the version of its program, its model, whether it is ready for work or what to do first, and below',
    'that whether it is logged in and sandboxed and what it can do and report. Where a node is running, the list is that of the node,',
    'which starts them, and external agents come first, with their key and scopes. Last comes the command that installs each vendor',
    'that is not installed. No model is called. --stats shows how often each agent succeeded, at the first try and at all, with its',
    'median time and cost, by category and repository. --json prints one agent, or one of these, a line.',
  ].join(' '),
  examples: [
    'baton agents',
    'baton agents --stats',
    'baton agents --external',
    'baton agents --json',
    'baton config set default_agent demo',
  ],
  ignores: ['key'],
  flags: {
    stats: { takes: 'nothing', help: 'success, first-try rate, median time and cost of each agent' },
    external: { takes: 'nothing', help: 'only external agents, revoked ones too, with their keys and scopes' },
  },
  async run(call): Promise<Answer<unknown>> {
    if (call.words.length > 0) throw new UsageError('agents: takes no arguments', 'baton agents');
    if (call.flags.stats) return await stats.run(call);
    return call.flags.external ? await external.run(call) : await listed(call);
  },
};

async function listed(call: Call): Promise<Answer<AgentRow>> {
  seenFolderOf(call);
  const [list, external] = await Promise.all([listAgents(call), externalAgents(call)]);
  const { agents, withheld, notInstalled, notSeenByNode } = list;
  const own = agents.map(({ role: _role, isDefault: _isDefault, ...row }) => row);
  return {
    values: [...external.map(rowOfExternal), ...own],
    human: ({ name, external: enrolled }, style) =>
      enrolled ? externalAgentText(enrolled, style) : humanText(agents, name, { style, notInstalled }),
    summary: () => [withheldText(withheld), notSeenText(notSeenByNode)].filter(Boolean).join('\n') || null,
    exitCode: () => 0,
  };
}

/** The agents that have enrolled at the node of the folder, while one runs: without it none of them can call. */
async function externalAgents(call: Call): Promise<readonly ExternalAgentView[]> {
  if (readLiveNode(seenFolderOf(call)) === null) return [];
  return await askNode(call, async (client) => {
    const list = await client.listExternalAgents();
    return isRefusal(list) ? [] : list.agents;
  });
}

/** Baton starts no external agent, so it knows nothing of its program. */
function rowOfExternal(external: ExternalAgentView): AgentRow {
  const can = { say: false, resume: false, askPermission: false, usage: 'none', thoughts: false } as const;
  const unknown = { provider: 'OTHER', model: '', version: null, loggedIn: null, sandboxed: false, can } as const;
  return { name: external.agent, driver: 'external', ...unknown, ready: true, reason: null, external };
}

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
