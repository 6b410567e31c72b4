/** From least to most. */
export const NETWORK_LEVELS = ['NONE', 'RESTRICTED', 'FULL'] as const;
export type NetworkLevel = (typeof NETWORK_LEVELS)[number];

/** The paths and the network that a task may use; paths as the order gave them. */
export interface Access {
  readonly readPaths: readonly string[];
  readonly writePaths: readonly string[];
  /** Never written, also where they lie inside of a write path. */
  readonly readOnlyPaths: readonly string[];
  readonly network: NetworkLevel;
}

export interface AccessSources {
  readonly workspaceRoot: string;
  /** Whether the agent may use files at all; undefined where the order does not say. */
  readonly fileSystemAccess?: boolean | null | undefined;
  /** The paths that the order asks for; undefined where it names none. */
  readonly filesystem?:
    | { readonly readPaths: readonly string[]; readonly writePaths: readonly string[] }
    | null
    | undefined;
  readonly readOnlyMode?: boolean | null | undefined;
  /** Read-only inputs, and Baton's own files in the workspace. */
  readonly readOnlyPaths?: readonly string[];
  /** The levels set in capabilities, access and constraints. */
  readonly networkLevels: readonly (NetworkLevel | null | undefined)[];
}

/** AOP §11.2, aop:filesystem: exactly the grant, never more than any one source allows. */
export function effectiveAccess(sources: AccessSources): Access {
  const network = mostRestrictive(sources.networkLevels);
  if (sources.fileSystemAccess === false) return { readPaths: [], writePaths: [], readOnlyPaths: [], network };
  const grant = sources.filesystem ?? { readPaths: [sources.workspaceRoot], writePaths: [sources.workspaceRoot] };
  return {
    readPaths: grant.readPaths,
    writePaths: sources.readOnlyMode ? [] : grant.writePaths,
    readOnlyPaths: sources.readOnlyPaths ?? [],
    network,
  };
}

/** RESTRICTED if no level is set. */
function mostRestrictive(levels: readonly (NetworkLevel | null | undefined)[]): NetworkLevel {
  const set = levels.filter((level) => level !== null && level !== undefined);
  if (set.length === 0) return 'RESTRICTED';
  return NETWORK_LEVELS[Math.min(...set.map((level) => NETWORK_LEVELS.indexOf(level)))] ?? 'NONE';
}
