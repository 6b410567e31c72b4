import { ConfigFault } from '../../config/config-fault.ts';
import { loadConfigSources } from '../../config/load.ts';
import { loadConfig } from '../../config/load-config.ts';
import { trustedAgentViews } from '../../node/agent-drivers.ts';
import { type Finding, note, well, wrong } from './finding.ts';

export function configFinding(folder: string): Finding {
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

/** Agents of the configuration that cannot be started: a program, a script or a driver is missing. */
export function agentFindings(folder: string): readonly Finding[] {
  try {
    const unready = trustedAgentViews(folder).filter(({ missing }) => missing !== null);
    if (unready.length === 0)
      return [
        well(
          'agents',
          trustedAgentViews(folder)
            .map(({ name }) => name)
            .join(', '),
        ),
      ];
    return unready.map(({ name, missing }) =>
      wrong(`agent ${name}`, missing ?? '', 'install it, or change the agent in the configuration: baton config edit'),
    );
  } catch (error) {
    // The finding about the configuration says why.
    if (error instanceof ConfigFault) return [];
    throw error;
  }
}
