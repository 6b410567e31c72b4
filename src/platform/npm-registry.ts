import { execFileSync } from 'node:child_process';

const ANSWER_MS_MAX = 10_000;
let known: readonly string[] | null = null;

/** The host that npm itself is set to, a company's mirror too; asked once. Empty where there is no npm. */
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
    // No npm, or none that answers: nothing is opened for it.
    return [];
  }
}
