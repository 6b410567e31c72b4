import { isJsonObject } from '../domain/words/json-object.ts';
import { type AgentSettings, type Config, namesCommand } from './schema.ts';

/** One setting by its key, such as http.port or agents.emma. An agent is one value, and so is a list. */
export type Settings = ReadonlyMap<string, unknown>;

export interface Setting {
  readonly key: string;
  readonly value: unknown;
  /** Names the layer that set it: built in, a file, a variable, a flag. */
  readonly origin: string;
}

/** Splits a configuration object into its settings. */
export function settingsOf(config: Config): Settings {
  const settings = new Map<string, unknown>();
  for (const [name, value] of Object.entries(config)) {
    if (name === '$schema') continue;
    if (isJsonObject(value)) for (const [key, inner] of Object.entries(value)) settings.set(`${name}.${key}`, inner);
    else settings.set(name, value);
  }
  return settings;
}

/** Joins settings into one configuration object. */
export function configOf(settings: Iterable<Setting>): Config {
  const config: Record<string, unknown> = {};
  for (const { key, value } of settings) {
    const [name, inner] = splitKey(key);
    if (inner === null) config[name] = value;
    else config[name] = { ...(config[name] as object | undefined), [inner]: value };
  }
  return config as Config;
}

/** Splits a key at its first dot: the name of an agent may contain dots. */
export function splitKey(key: string): readonly [name: string, inner: string | null] {
  const dot = key.indexOf('.');
  return dot === -1 ? [key, null] : [key.slice(0, dot), key.slice(dot + 1)];
}

/**
 * Whether a setting of the team's file names a command or widens a right, so that it counts only after `baton trust`.
 * `below` is the value of the weaker layers: a lower budget needs no trust.
 */
export function needsTrust(key: string, value: unknown, below: unknown): boolean {
  const [name, inner] = splitKey(key);
  switch (name) {
    case 'checks':
    case 'network':
    case 'access':
    case 'worktree':
    case 'known_keys':
    // It names programs and web addresses.
    case 'notify':
    // It may let an agent accept work.
    case 'review':
    // It decides who may send work to this machine.
    case 'federation':
    // Its patterns run over what agents send.
    case 'event_types':
    // A lower price would raise every cap on money.
    case 'prices':
      return true;
    case 'agents':
      return namesCommand(value as AgentSettings);
    case 'allow_shell':
      return value === true;
    case 'sandbox':
      return value !== 'required';
    case 'http':
      return inner !== 'port';
    case 'runs':
      return inner === 'memory_mib' && (typeof below !== 'number' || (value as number) > below);
    case 'budgets':
      return typeof below !== 'number' || (value as number) > below;
    default:
      return false;
  }
}

export interface WithheldSettings {
  readonly file: string;
  readonly keys: readonly string[];
}

/** Settings that do not count until their file is trusted, by file. */
export function withheldByFile(withheld: readonly Setting[]): readonly WithheldSettings[] {
  const files = [...new Set(withheld.map(({ origin }) => origin))];
  return files.map((file) => ({ file, keys: withheld.filter(({ origin }) => origin === file).map(({ key }) => key) }));
}
