import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { chooseDataFolder, type FolderChoice } from './data-folder.ts';

/** Where the environment is read. Flags win over it. */
export function loadDataFolder(flag: string | undefined): FolderChoice {
  return chooseDataFolder({ flag, env: process.env.BATON_DATA || undefined, cwd: process.cwd(), home: homedir() });
}

/** The run that an agent's own commands belong to: --run, else BATON_RUN. */
export function loadRun(flag: string | undefined): string | null {
  return flag ?? (process.env.BATON_RUN || null);
}

/** What this machine remembers beside the data folders: which of them are its own. */
export function loadStateFolder(): string {
  return join(xdgFolder(process.env.XDG_STATE_HOME, join('.local', 'state')), 'baton');
}

/** The XDG rule: a path that is not absolute does not count. */
function xdgFolder(given: string | undefined, belowHome: string): string {
  return given && isAbsolute(given) ? given : join(homedir(), belowHome);
}
