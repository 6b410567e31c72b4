import { ConfigFault } from '../../config/config-fault.ts';
import { loadConfigSources } from '../../config/load.ts';
import { loadConfig } from '../../config/load-config.ts';
import { type Finding, note, well, wrong } from './finding.ts';

export function configFinding(folder: string): Finding {
  try {
    const { settings, withheld } = loadConfig(loadConfigSources(folder));
    if (withheld.length === 0) return well('configuration', settings.map(({ key }) => key).join(', '));
    const keys = withheld.map(({ key }) => key).join(', ');
    return note('configuration', `does not count yet: ${keys}`, 'look into baton.yaml, then: baton trust');
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    return wrong('configuration', error.message, error.hint);
  }
}
