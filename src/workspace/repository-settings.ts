import { type GitPlace, git, splitAtNul } from './git.ts';
import { WorkspaceFault } from './workspace-fault.ts';

/** A repository's configuration, by names as git tells them: section and key in small letters. */
export interface RepositorySettings {
  /** Its own, with what it includes. */
  readonly own: ReadonlyMap<string, string>;
  /** The person's, for all repositories. */
  readonly global: ReadonlyMap<string, string>;
}

/** All of it in one call: only git knows which files belong to it. */
export async function readRepositorySettings(place: GitPlace): Promise<RepositorySettings> {
  const args = ['config', '--includes', '--show-scope', '--list', '-z'];
  const { stdout } = await git(place, { args, env: { GIT_CONFIG_GLOBAL: undefined } });
  const own = new Map<string, string>();
  const global = new Map<string, string>();
  const parts = [...splitAtNul(stdout)].map(String);
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const scope = parts[at];
    const [, name = '', value = 'true'] = /^([^\n]*)(?:\n(.*))?$/s.exec(parts[at + 1] ?? '') ?? [];
    if (scope === 'global') global.set(name, value);
    else if (scope !== 'command') own.set(name, value);
  }
  return { own, global };
}

/** Null where git cannot read the configuration: an agent without a sandbox may have broken it. */
export async function readSettingsUnlessBroken(place: GitPlace): Promise<RepositorySettings | null> {
  try {
    return await readRepositorySettings(place);
  } catch (error) {
    if (error instanceof WorkspaceFault) return null;
    throw error;
  }
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, on: true, 1: true },
  ...{ false: false, no: false, off: false, 0: false, '': false },
};

/** Null where it is not set, or to something else. */
export function booleanSetting({ own }: RepositorySettings, name: string): boolean | null {
  return BOOLEANS[own.get(name)?.toLowerCase() ?? 'none'] ?? null;
}

/** How the repository names its objects. */
export function objectFormat({ own }: RepositorySettings): 'sha1' | 'sha256' {
  return own.get('extensions.objectformat')?.toLowerCase() === 'sha256' ? 'sha256' : 'sha1';
}
