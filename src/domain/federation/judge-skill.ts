import { compareVersions, isVersion } from './capability.ts';

/** A skill as one of its folders has it. */
export interface PresentSkill {
  readonly version: string;
  /** The SHA-256 of its packed files. */
  readonly hash: string;
}

export interface OfferedSkill extends PresentSkill {
  readonly name: string;
}

export type SkillVerdict =
  | { readonly kind: 'install' }
  | { readonly kind: 'present' }
  | { readonly kind: 'refuse'; readonly reason: string };

/**
 * Whether a skill of another node is installed (Runtime §7). Only a skill that came from another node is ever replaced, and
 * only if nobody changed it since; one that a person put there stays.
 */
export function judgeSkill(
  offered: OfferedSkill,
  present: PresentSkill | null,
  installedHash: string | null,
): SkillVerdict {
  const { name, version, hash } = offered;
  if (present === null) return { kind: 'install' };
  if (present.hash === hash) return { kind: 'present' };
  const here = `${name} ${present.version} is here`;
  if (present.version === version) return refuse(`${here} with other files`);
  if (present.hash !== installedHash) return refuse(`${here}, and Baton did not install it`);
  if (!isVersion(version) || !isVersion(present.version)) return refuse(`${here}, and ${version} cannot be compared`);
  return compareVersions(version, present.version) > 0 ? { kind: 'install' } : refuse(`${here}, which is newer`);
}

function refuse(reason: string): SkillVerdict {
  return { kind: 'refuse', reason };
}
