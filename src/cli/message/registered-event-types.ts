import { ConfigFault } from '../../config/config-fault.ts';
import { loadConfigSources } from '../../config/load.ts';
import { loadConfig } from '../../config/load-config.ts';
import { configOf } from '../../config/settings.ts';
import { FolderFault } from '../../platform/files/data-folder.ts';
import { dataFolderOf } from '../call-folder.ts';
import { type Call, UsageError } from '../command.ts';

/** The event types that the configuration registers; none where there is no usable folder or configuration. */
export function registeredEventTypes(call: Call): Readonly<Record<string, unknown>> {
  try {
    return configOf(loadConfig(loadConfigSources(dataFolderOf(call))).settings).event_types ?? {};
  } catch (error) {
    if (error instanceof UsageError || error instanceof FolderFault || error instanceof ConfigFault) return {};
    throw error;
  }
}
