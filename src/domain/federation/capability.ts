/** A skill by its name and version; its path is local to a node. */
export interface SkillRef {
  readonly name: string;
  readonly version: string;
  readonly path?: string;
}

/** Work that an agent of the federation does for others, as its owner published it (Runtime §2). */
export interface Capability {
  readonly capabilityId: string;
  readonly name: string;
  readonly version: string;
  readonly status: 'active' | 'deprecated' | 'disabled';
  readonly ownerAgentId: string;
  readonly ownerNodeId: string;
  readonly delegationSkillRef: SkillRef;
  readonly executorSkillRef: SkillRef;
  readonly contractSchemaRef: string;
  readonly defaultEtaSeconds: number;
  readonly publishedAt: string;
  readonly publishedByAgentId: string;
}

/** A capability before its publication. */
export interface CapabilityDraft {
  readonly capabilityId: string;
  readonly version: string;
  readonly ownerAgentId: string;
  readonly executorSkillRef: SkillRef;
  readonly name?: string | undefined;
  readonly status?: 'active' | 'deprecated' | undefined;
  /** The node that the record names; it must be the one that publishes. */
  readonly ownerNodeId?: string | undefined;
  /** By default the executor's skill. */
  readonly delegationSkillRef?: SkillRef | undefined;
  readonly contractSchemaRef?: string | undefined;
  readonly defaultEtaSeconds?: number | undefined;
  readonly publishedByAgentId?: string | undefined;
  /** Agents beside the owner that can do it. */
  readonly eligibleAgentIds?: readonly string[] | undefined;
}

export const CAPABILITY_ETA_SECONDS_DEFAULT = 900;

const VERSION = /^(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/;

export function isVersion(text: string): boolean {
  return VERSION.test(text);
}

/** Below 0 if the first is older. A preview comes before its release; previews compare as text. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)];
  for (const [at, number] of first.numbers.entries()) {
    const difference = number - (second.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (first.preview === second.preview) return 0;
  if (first.preview === '') return 1;
  if (second.preview === '') return -1;
  return first.preview < second.preview ? -1 : 1;
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly preview: string } {
  const [, major = '0', minor = '0', patch = '0', preview = ''] = VERSION.exec(version) ?? [];
  return { numbers: [major, minor, patch].map(Number), preview };
}
