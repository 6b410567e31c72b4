import { type GitIdentity, identityLines } from '../../../domain/git-identity.ts';
import type { GateData } from './gate.ts';
import type { Mount } from './mount.ts';

export interface ShownIdentity {
  readonly mounts: readonly Mount[];
  readonly variables: Readonly<Record<string, string>>;
}

/** In a folder that every sandbox has. */
const FILE = '/run/baton-gitconfig';
const OF_THE_MACHINE = '/etc/gitconfig';

/**
 * Shows the user's identity to git as a setting of the system. Settings of a repository, `-c` and GIT_AUTHOR_NAME win over it, as
 * they do over the user's own configuration, which holds hooks, helpers and aliases and stays hidden.
 */
export function showIdentity(identity: GitIdentity | null | undefined, data: GateData): ShownIdentity {
  if (!identity) return { mounts: [], variables: {} };
  // Git reads one file of the system. The machine's own is readable in every sandbox.
  const lines = ['[include]', `\tpath = ${OF_THE_MACHINE}`, ...identityLines(identity), ''];
  return {
    mounts: [{ kind: 'data', fd: data.add(lines.join('\n')), at: FILE }],
    variables: { GIT_CONFIG_SYSTEM: FILE },
  };
}
