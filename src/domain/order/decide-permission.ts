import type { PermissionAsked } from '../agent/agent-signal.ts';
import { isWithin, wholePath } from '../work/path-text.ts';
import type { NetworkLevel } from './access.ts';

export interface PermissionFacts {
  readonly permission: PermissionAsked;
  /** The process is confined to its grant by Baton's sandbox. */
  readonly isSandboxed: boolean;
  readonly workspace: string;
  readonly grant: {
    readonly writePaths: readonly string[];
    readonly readOnlyPaths?: readonly string[];
    /** Folders of Baton, which no agent may touch. */
    readonly hiddenPaths: readonly string[];
    readonly network: { readonly level: NetworkLevel };
  };
  /** The reason why no person can be asked; null if one can. */
  readonly whyUnattended: string | null;
}

export type PermissionDecision =
  | { readonly kind: 'allow'; readonly reason: string }
  | { readonly kind: 'refuse'; readonly reason: string }
  | { readonly kind: 'ask' };

/**
 * Whether an agent gets the permission it asks for. The grant comes first, then what policy forbids, then a person;
 * where nobody can be asked, the answer is no.
 */
export function decidePermission(facts: PermissionFacts): PermissionDecision {
  if (facts.isSandboxed) return { kind: 'allow', reason: 'the sandbox confines it to its grant' };
  const forbidden = forbiddenBecause(facts);
  if (forbidden !== null) return { kind: 'refuse', reason: forbidden };
  if (isGrantedEdit(facts)) return { kind: 'allow', reason: 'its task may write there' };
  if (facts.whyUnattended !== null) return { kind: 'refuse', reason: facts.whyUnattended };
  return { kind: 'ask' };
}

function forbiddenBecause({ permission, workspace, grant }: PermissionFacts): string | null {
  const paths = permission.paths.map((path) => wholePath(workspace, path));
  const hidden = paths.find((path) => grant.hiddenPaths.some((folder) => isWithin(folder, path)));
  if (hidden !== undefined) return `${hidden} belongs to Baton`;
  const isEdit = permission.access === 'edit';
  const readOnly = paths.find((path) => isEdit && grant.readOnlyPaths?.some((folder) => isWithin(folder, path)));
  if (readOnly !== undefined) return `its task may only read ${readOnly}`;
  if (permission.access === 'network' && grant.network.level === 'NONE') return 'its task may not use the network';
  return null;
}

/** An edit of files that the task may write, each of them named. */
function isGrantedEdit({ permission, workspace, grant }: PermissionFacts): boolean {
  const { access, paths } = permission;
  if (access !== 'edit' || paths.length === 0) return false;
  return paths
    .map((path) => wholePath(workspace, path))
    .every((path) => grant.writePaths.some((folder) => isWithin(folder, path)));
}
