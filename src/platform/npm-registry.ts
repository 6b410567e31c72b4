import { execFileSync } from 'node:child_process';

const ANSWER_MS_MAX = 10_000;
let known: readonly string[] | null = null;

/** The registry host that npm is configured with, such as a company's mirror; asked once. Empty without npm. */
export function npmRegistryHosts(): readonly string[] {
  known ??= askNpm();
  return known;
}

function askNpm(): readonly string[] {
  try {
    const said = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8', timeout: ANSWER_MS_MAX });
    const { hostname, port } = new URL(said.trim());
    return [port === '' ? hostname : `${hostname}:${port}`];
  } catch {
    // No npm, or it fails: no host is opened for it.
    return [];
  }
}
