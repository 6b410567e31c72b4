import type { ChangeStatus, FileVersion } from '../diff-shadows.ts';
import type { TreeChange } from './commit-changes.ts';
import type { FoundNames } from './find-names.ts';

/** A file of which a shadow has another version than its basis. */
export interface ChangedName {
  /** From the root, with slashes. */
  readonly path: string;
  readonly status: ChangeStatus;
}

/**
 * Compares a shadow with its basis. Git need not be asked: `changes` lead from the index to the shadow, and the differences
 * from the index to the basis.
 */
export function changesSinceBasis(
  { differences, indexed }: Pick<FoundNames, 'differences' | 'indexed'>,
  changes: readonly TreeChange[],
): readonly ChangedName[] {
  const basis = new Map(differences.map((one) => [key(one.name), one]));
  const shadow = new Map(changes.map((change) => [key(change.name), change]));
  const names = new Map([...differences, ...changes].map(({ name }) => [key(name), name]));
  return [...names.values()].sort(Buffer.compare).flatMap((name) => {
    const difference = basis.get(key(name));
    const change = shadow.get(key(name));
    const inIndex = difference ? difference.inIndex : indexed(name);
    const before = difference ? difference.inBasis : inIndex;
    const after = change ? versionAfter(change) : inIndex;
    const status = statusOf(before, after);
    return status === null ? [] : [{ path: name.toString('utf8'), status }];
  });
}

function key(name: Buffer): string {
  return name.toString('latin1');
}

function versionAfter(change: TreeChange): FileVersion | null {
  return change.kind === 'removed' ? null : change;
}

function statusOf(before: FileVersion | null, after: FileVersion | null): ChangeStatus | null {
  if (!before) return after ? 'added' : null;
  if (!after) return 'deleted';
  if (before.mode === after.mode && before.object === after.object) return null;
  return kindOf(before) === kindOf(after) ? 'modified' : 'type-changed';
}

/** The first digits of a mode: file, link or submodule. */
function kindOf({ mode }: FileVersion): string {
  return mode.slice(0, 3);
}
