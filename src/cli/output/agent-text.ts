import type { AgentView } from '../../api/contract.ts';
import type { Look } from './look.ts';
import { visible } from './visible.ts';

/** One line, its columns as wide as those of all agents need. */
export function agentLine(agent: AgentView, all: readonly AgentView[], look: Look): string {
  const cell = (key: 'name' | 'driver' | 'provider' | 'model') =>
    visible(agent[key]).padEnd(Math.max(...all.map((each) => visible(each[key]).length)));
  const state = agent.missing === null ? look.good('ready') : look.open(visible(agent.missing));
  const chosen = agent.isDefault ? look.faint('  (default)') : '';
  return `${look.strong(cell('name'))}  ${cell('driver')}  ${cell('provider')}  ${cell('model')}  ${state}${chosen}`;
}
