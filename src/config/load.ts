import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { chooseDataFolder, type FolderChoice, gitRoot } from './data-folder.ts';

// Where the environment is read; short commands load this, so it loads nothing large.

/** Flags win over it. */
export function loadDataFolder(flag: string | undefined): FolderChoice {
  return chooseDataFolder({ flag, env: process.env.BATON_DATA || undefined, cwd: process.cwd(), home: homedir() });
}

/** The run that an agent's own commands belong to: --run, else BATON_RUN. */
export function loadRun(flag: string | undefined): string | null {
  return flag ?? (process.env.BATON_RUN || null);
}

/**
 * The door of the node that started this process's agent. A folder that is named, by flag or BATON_DATA, wins: what an
 * agent runs may have a node of its own.
 */
export function loadAgentDoor(flag: string | undefined): { readonly url: string; readonly token: string } | null {
  const { BATON_URL: url, BATON_TOKEN: token } = process.env;
  return url && token && !(flag ?? process.env.BATON_DATA) ? { url, token } : null;
}

/** What this machine remembers beside the data folders: which of them are its own, which files it trusts. */
export function loadStateFolder(): string {
  return join(xdgFolder(process.env.XDG_STATE_HOME, join('.local', 'state')), 'baton');
}

/** The environment of the person who started the node: what agents get of it is chosen by name. */
export function loadEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** The editor of the person at the keyboard; never one that a workspace names. */
export function loadEditor(): string | null {
  return process.env.VISUAL || process.env.EDITOR || null;
}

/** Everything outside of the code that says how Baton is to be. */
export interface ConfigSources {
  /** ~/.config/baton/config.yaml */
  readonly mine: string;
  /** baton.yaml at the git root, committed; null outside of git. */
  readonly team: string | null;
  /** config.yaml of the data folder. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stateFolder: string;
}

export function loadConfigSources(dataFolder: string): ConfigSources {
  const root = gitRoot(process.cwd());
  return {
    mine: join(xdgFolder(process.env.XDG_CONFIG_HOME, '.config'), 'baton', 'config.yaml'),
    team: root === null ? null : join(root, 'baton.yaml'),
    folder: join(dataFolder, 'config.yaml'),
    variables: process.env,
    stateFolder: loadStateFolder(),
  };
}

/** From where the commands of agents are meant, and where their programs are looked for. */
export function loadAgentPlaces(): { readonly root: string; readonly home: string; readonly path: string } {
  const cwd = process.cwd();
  return { root: gitRoot(cwd) ?? cwd, home: homedir(), path: process.env.PATH ?? '' };
}

/** The XDG rule: a path that is not absolute does not count. */
function xdgFolder(given: string | undefined, belowHome: string): string {
  return given && isAbsolute(given) ? given : join(homedir(), belowHome);
}
