import { dirname, join } from 'node:path';
import { NEEDS_NOTHING } from '../../agents/agent-driver.ts';
import { programFiles } from '../../agents/program/program-files.ts';
import { OpenSandbox } from '../../agents/sandbox/open/open-sandbox.ts';
import type { Sandboxes } from '../../agents/sandbox/sandboxes.ts';
import { loadConfigSources, loadEnvironment } from '../../config/load.ts';
import type { Roster } from '../../orders/roster.ts';
import { findDataFolders } from '../../platform/files/find-data-folders.ts';
import { loadNames } from '../../platform/files/folder-names.ts';
import { homeFolders } from '../../platform/files/home-folders.ts';
import { realPathAsFar } from '../../platform/files/real-path.ts';
import { KnownFolders } from '../../platform/files/trusted-paths.ts';
import { AGENT_DRIVERS } from './agent-drivers.ts';
import { trySandbox } from './try-sandbox.ts';

/** The names that searches of workspaces found, for the next process. */
export function namesFile(dataFolder: string): string {
  return join(dataFolder, 'folder-names.json');
}

/** The sandbox of this machine, and the paths that it hides. */
export function sandboxesOf(dataFolder: string): Sandboxes {
  return {
    sandbox: trySandbox,
    open: new OpenSandbox(),
    async foldersToHide(roots) {
      const { mine, stateFolder } = loadConfigSources(dataFolder);
      loadNames(namesFile(dataFolder));
      const own = [dataFolder, stateFolder, dirname(mine)].map(realPathAsFar);
      const { folders, isWhole } = await findDataFolders(roots, new KnownFolders(stateFolder).paths());
      return { folders: [...new Set([...own, ...folders])], isWhole };
    },
  };
}

/** The places and accounts of agents' programs on this machine. */
export function programParts(): Pick<Roster, 'needsOf' | 'accountOf' | 'programPaths'> {
  return {
    needsOf(agent, workspace) {
      const driver = AGENT_DRIVERS.find(({ name }) => name === agent?.driver);
      if (agent === null || !driver?.needs) return NEEDS_NOTHING;
      return driver.needs({ workspace, variables: loadEnvironment(), agent });
    },
    accountOf(agent) {
      const driver = AGENT_DRIVERS.find(({ name }) => name === agent.driver);
      return driver?.account?.({ agent, variables: loadEnvironment() }) ?? null;
    },
    programPaths(agent) {
      const driver = AGENT_DRIVERS.find(({ name }) => name === agent?.driver);
      const node = programFiles(process.execPath, { homes: homeFolders(), path: '', cwd: null });
      return [...new Set([...(agent?.ownPaths ?? []), ...(driver?.ownPaths ?? []), ...node.paths])];
    },
  };
}
