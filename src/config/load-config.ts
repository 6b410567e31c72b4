import { TrustedFiles } from '../platform/files/trusted-paths.ts';
import { judgeConfig, readConfig, readConfigFile } from './config-file.ts';
import { DEFAULTS } from './defaults.ts';
import type { ConfigSources } from './load.ts';
import { configOf, needsTrust, type Setting, type Settings, settingsOf } from './settings.ts';

/** Layers from weakest to strongest: built in, the user's, the team's, this folder's, BATON_… variables, flags. */
export function loadConfig(sources: ConfigSources, flags: Settings = new Map()): LayeredSettings {
  const { mine, team, folder, variables } = sources;
  return layerSettings([
    { origin: 'built in', settings: settingsOf(DEFAULTS), isTrusted: true },
    fileLayer(mine, sources.stateFolder),
    ...(team === null ? [] : [teamLayer(team, sources.stateFolder)]),
    fileLayer(folder, sources.stateFolder),
    ...variableLayers(variables),
    { origin: 'a flag', settings: flags, isTrusted: true },
  ]);
}

/** The user's own file; after a run has changed it, it is like the file of a stranger. */
function fileLayer(path: string, stateFolder: string): Layer {
  const text = readConfigFile(path);
  if (text === null) return { origin: path, settings: new Map(), isTrusted: true };
  const isTrusted = !new TrustedFiles(stateFolder).isWithdrawn(path);
  return { origin: path, settings: settingsOf(readConfig(text, path)), isTrusted };
}

/** Reads the file once, so that the text that is validated is the text whose hash is trusted. */
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

export interface Layer {
  /** Names the layer: built in, a file, a variable, a flag. */
  readonly origin: string;
  readonly settings: Settings;
  /** Settings of an untrusted file that name a command or widen a right are ignored. */
  readonly isTrusted: boolean;
}

export interface LayeredSettings {
  readonly settings: readonly Setting[];
  /** Settings that would count if the file were trusted. */
  readonly withheld: readonly Setting[];
}

/** A later layer wins. */
function layerSettings(layers: readonly Layer[]): LayeredSettings {
  const held = new Map<string, Setting>();
  const withheld: Setting[] = [];
  for (const { origin, settings, isTrusted } of layers) {
    for (const [key, value] of settings) {
      const setting = { key, value, origin };
      if (isTrusted || !needsTrust(key, value, held.get(key)?.value)) held.set(key, setting);
      else withheld.push(setting);
    }
  }
  const settings = [...held.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
  return { settings, withheld };
}
