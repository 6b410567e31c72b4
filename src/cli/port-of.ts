import { loadConfigSources } from '../config/load.ts';
import { loadConfig } from '../config/load-config.ts';
import { configOf } from '../config/settings.ts';
import { type Call, flagText, UsageError } from './command.ts';

/** Of the HTTP door: --port, else what is configured. */
export function portOf(call: Call, dataFolder: string): number {
  const given = flagText(call, 'port');
  if (given === undefined) return configOf(loadConfig(loadConfigSources(dataFolder)).settings).http?.port ?? 0;
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given);
  throw new UsageError(`--port: ${JSON.stringify(given)} is no port`, '--port 0 takes any that is free');
}
