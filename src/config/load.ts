import { homedir } from 'node:os';
import { chooseDataFolder, type FolderChoice } from './data-folder.ts';

/** Where the environment is read. Flags win over it. */
export function loadDataFolder(flag: string | undefined): FolderChoice {
  return chooseDataFolder({ flag, env: process.env.BATON_DATA || undefined, cwd: process.cwd(), home: homedir() });
}

/** The run that an agent's own commands belong to: --run, else BATON_RUN. */
export function loadRun(flag: string | undefined): string | null {
  return flag ?? (process.env.BATON_RUN || null);
}
