import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { findProgram, pathFor } from './process/find-program.ts';

const ANSWER_MS_MAX = 10_000;
let known: readonly string[] | null = null;

/** The registry host that npm is configured with, such as a company's mirror; asked once. Empty without npm. */
export function npmRegistryHosts(): readonly string[] {
  known ??= askNpm();
  return known;
}

function askNpm(): readonly string[] {
  try {
    const folder = process.cwd();
    const npm = findProgram('npm', folder);
    if (npm === null) return [];
    const options = { encoding: 'utf8', timeout: ANSWER_MS_MAX } as const;
    const env = { ...process.env, PATH: pathFor(folder) };
    // Away from the workspace: its .npmrc may have been written by an agent, and would open a host of its choice.
    const said = execFileSync(npm, ['config', 'get', 'registry'], { ...options, env, cwd: dirname(npm) });
    const { hostname, port } = new URL(said.trim());
    return [port === '' ? hostname : `${hostname}:${port}`];
  } catch {
    // No npm, or it fails: no host is opened for it.
    return [];
  }
}
