import { TrustedFiles } from '../platform/trusted-files.ts';
import { readConfigFile } from './config-file.ts';
import { DEFAULTS } from './defaults.ts';
import { type Layer, type LayeredSettings, layerSettings } from './layer-settings.ts';
import type { ConfigSources } from './load.ts';
import { judgeConfig, readConfig } from './read-config.ts';
import { configOf, type Settings, settingsOf } from './settings.ts';

/** Built in < mine < the team's < this folder's < BATON_… < flags. */
export function loadConfig(sources: ConfigSources, flags: Settings = new Map()): LayeredSettings {
  const { mine, team, folder, variables } = sources;
  return layerSettings([
    { origin: 'built in', settings: settingsOf(DEFAULTS), isTrusted: true },
    fileLayer(mine),
    ...(team === null ? [] : [teamLayer(team, sources.stateFolder)]),
    fileLayer(folder),
    ...variableLayers(variables),
    { origin: 'a flag', settings: flags, isTrusted: true },
  ]);
}

function fileLayer(path: string): Layer {
  const text = readConfigFile(path);
  return { origin: path, settings: text === null ? new Map() : settingsOf(readConfig(text, path)), isTrusted: true };
}

/** Judged and trusted by the same text. */
function teamLayer(path: string, stateFolder: string): Layer {
  const text = readConfigFile(path);
  if (text === null) return { origin: path, settings: new Map(), isTrusted: false };
  const isTrusted = new TrustedFiles(stateFolder).isTrusted(path, text);
  return { origin: path, settings: settingsOf(readConfig(text, path)), isTrusted };
}

const VARIABLES: readonly (readonly [variable: string, key: string, read: (text: string) => unknown])[] = [
  ['BATON_AGENT', 'default_agent', (text) => text],
  ['BATON_HTTP_HOST', 'http.host', (text) => text],
  ['BATON_HTTP_PORT', 'http.port', Number],
  ['BATON_HTTP_TLS_CERT', 'http.tls_cert', (text) => text],
  ['BATON_HTTP_TLS_KEY', 'http.tls_key', (text) => text],
  ['BATON_BUDGETS_RUN_USD', 'budgets.run_usd', Number],
  ['BATON_BUDGETS_DAY_USD', 'budgets.day_usd', Number],
];

function variableLayers(variables: ConfigSources['variables']): Layer[] {
  return VARIABLES.flatMap(([variable, key, read]) => {
    const given = variables[variable];
    if (!given) return [];
    const config = configOf([{ key, value: read(given), origin: variable }]);
    return [{ origin: variable, settings: settingsOf(judgeConfig(config, variable)), isTrusted: true }];
  });
}
