import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadConfigSources } from '../config/load.ts';
import type { RunWorld } from '../dispatch/run-world.ts';
import { TrustedFiles } from '../platform/trusted-paths.ts';

/** The configuration files of a node, and the list of those that are trusted. */
export function trustedSettings(dataFolder: string): Pick<RunWorld, 'settingsFiles' | 'withdrawTrust'> {
  return {
    settingsFiles() {
      const { mine, team, folder } = loadConfigSources(dataFolder);
      const paths = [mine, team, folder].filter((path) => path !== null);
      return paths.map((path) => ({ path, sha256: hashOf(path) }));
    },
    withdrawTrust(path) {
      new TrustedFiles(loadConfigSources(dataFolder).stateFolder).withdraw(path);
    },
  };
}

function hashOf(path: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    // Absent.
    return null;
  }
}
