import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { homeFolders } from '../platform/files/home-folders.ts';
import { chooseDataFolder, type FolderChoice, gitRoot } from './choose-data-folder.ts';

// The only file that reads the environment. Short commands load it, so it imports nothing large.

/** Flags win over the variables. */
export function loadDataFolder(flag: string | undefined): FolderChoice {
  return chooseDataFolder({ flag, env: process.env.BATON_DATA || undefined, cwd: process.cwd(), home: homedir() });
}

/** Whether the call or the environment names the data folder; else it is the folder of this repository. */
export function isDataFolderNamed(flag: string | undefined): boolean {
  return flag !== undefined || Boolean(process.env.BATON_DATA);
}

/** The run that an agent's own commands belong to: --run, else BATON_RUN. */
export function loadRun(flag: string | undefined): string | null {
  return flag ?? (process.env.BATON_RUN || null);
}

/**
 * The HTTP address of the node that started this agent. A folder named by flag or BATON_DATA wins: a program that an
 * agent runs may have a node of its own.
 */
export function loadAgentEndpoint(flag: string | undefined): { readonly url: string; readonly token: string } | null {
  const { BATON_URL: url, BATON_TOKEN: token } = process.env;
  return url && token && !(flag ?? process.env.BATON_DATA) ? { url, token } : null;
}

/** The file with the key of an external agent: --identity, else BATON_IDENTITY. */
export function loadIdentityFile(flag: string | undefined): string | null {
  return flag ?? (process.env.BATON_IDENTITY || null);
}

/** The state folder of this machine: the list of its own data folders and of trusted files. */
export function loadStateFolder(): string {
  return join(xdgFolder(process.env.XDG_STATE_HOME, join('.local', 'state')), 'baton');
}

/** The environment of the node's process; agents get selected variables of it, by name. */
export function loadEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** The user's editor; never one that a workspace names. */
export function loadEditor(): string | null {
  return process.env.VISUAL || process.env.EDITOR || null;
}

/** Every file and variable that configures Baton. */
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

/** The folder that relative commands of agents start from, and the PATH that their programs are found in. */
export function loadAgentPlaces(): {
  readonly root: string;
  readonly homes: readonly string[];
  readonly path: string;
} {
  const cwd = process.cwd();
  return { root: gitRoot(cwd) ?? cwd, homes: homeFolders(), path: process.env.PATH ?? '' };
}

/** XDG Base Directory: a relative path is ignored. */
function xdgFolder(given: string | undefined, belowHome: string): string {
  return given && isAbsolute(given) ? given : join(homedir(), belowHome);
}
