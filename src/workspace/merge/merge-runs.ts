import { openPrivateRepository, type ShadowPlace, usingStore } from '../shadow/private-repository.ts';
import { knownPaths, mergeTrees } from './merge-trees.ts';

/** The states before and after one work. */
export interface WorkSpan {
  readonly before: string;
  readonly after: string;
}

export type MergedRuns =
  | { readonly kind: 'merged'; readonly tree: string }
  /** The work at this index does not fit the ones before it. */
  | { readonly kind: 'conflict'; readonly at: number; readonly paths: readonly string[] };

/** Merges several works into the state before the first, one after the other. Touches no file of the user. */
export function mergeRuns(place: ShadowPlace, [first, ...others]: readonly WorkSpan[]): Promise<MergedRuns> {
  if (!first) throw new Error('there is no work to merge');
  return usingStore(place, `index of ${place.root}`, async () => {
    const own = await openPrivateRepository(place);
    let tree = first.after;
    for (const [at, { before, after }] of others.entries()) {
      const merged = await mergeTrees(own.place, { base: before, ours: tree, theirs: after });
      if (merged.kind === 'conflict') return { kind: 'conflict', at: at + 1, paths: knownPaths(merged.paths) };
      tree = merged.tree;
    }
    return { kind: 'merged', tree };
  });
}
