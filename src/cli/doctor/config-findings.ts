import type { AgentView } from '../../api/contract.ts';
import { ConfigFault } from '../../config/config-fault.ts';
import { loadConfigSources } from '../../config/load.ts';
import { loadConfig } from '../../config/load-config.ts';
import { trustedAgentViews } from '../../node/agents/list-agents.ts';
import { type DoctorFinding, note, well, wrong } from './doctor-finding.ts';

export function configFinding(folder: string): DoctorFinding {
  try {
    const { settings, withheld } = loadConfig(loadConfigSources(folder));
    if (withheld.length === 0) return well('configuration', settings.map(({ key }) => key).join(', '));
    const keys = withheld.map(({ key }) => key).join(', ');
    return note('configuration', `ignored until trusted: ${keys}`, 'read baton.yaml, then: baton trust');
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    return wrong('configuration', error.message, error.hint);
  }
}

/** Agents that cannot be given work: a program, a script, a driver or a login is missing, or a program is too old. */
export async function agentFindings(folder: string): Promise<readonly DoctorFinding[]> {
  try {
    const agents = await trustedAgentViews(folder);
    const unready = agents.filter(({ ready }) => !ready);
    if (unready.length === 0) return [well('agents', agents.map(agentName).join(', '))];
    return unready.map(({ name, reason }) =>
      wrong(`agent ${name}`, reason ?? '', 'install it, or change the agent in the configuration: baton config edit'),
    );
  } catch (error) {
    // The finding about the configuration says why.
    if (error instanceof ConfigFault) return [];
    throw error;
  }
}

function agentName({ name, version }: AgentView): string {
  return version === null ? name : `${name} ${version}`;
}
