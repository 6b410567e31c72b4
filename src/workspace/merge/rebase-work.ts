import { changedInTrees, type FileChange } from '../diff-shadows.ts';
import { commitChanges, type TreeChange } from '../shadow/commit-changes.ts';
import { nameCommit, namedModes, noteCommit } from '../shadow/object-store.ts';
import {
  openPrivateRepository,
  type PrivateRepository,
  type ShadowPlace,
  usingStore,
} from '../shadow/private-repository.ts';
import { inStagingArea } from '../shadow/staging-area.ts';
import { type Shadow, shadowRef } from '../shadow/take-shadow.ts';
import { mergeTrees } from './merge-trees.ts';

export interface RebaseRequest {
  readonly task: string;
  /** The new states get it with a number behind it. */
  readonly label: string;
  /** The state that the last run of the work left. */
  readonly left: string;
  /** The states from before the work, which the person's changes are added to. */
  readonly before: readonly string[];
  /** The label of the first of them, which has the modes of files. */
  readonly beforeLabel: string;
  readonly atMs: number;
}

export interface RebasedWork {
  /** The states from before the work with what a person changed since, in the order of the question. */
  readonly before: readonly string[];
  /** Their changes. */
  readonly files: readonly string[];
  /** Files among them in which the work had changed the same lines: they count as the person's. */
  readonly overlapping: readonly string[];
}

/** Finds what a person changed since a run ended, by the present state, and adds it to the states from before the work; null where nothing is. */
export async function rebaseWork(
  place: ShadowPlace,
  request: RebaseRequest,
  present: Shadow,
): Promise<RebasedWork | null> {
  const { left } = request;
  if (present.commit === left) return null;
  return usingStore(place, `index of ${place.root}`, async () => {
    const own = await openPrivateRepository(place);
    const files = await changedInTrees(own.place, { before: left, after: present.commit });
    if (files.length === 0) return null;
    const overlapping = new Set<string>();
    const before: string[] = [];
    for (const [at, state] of request.before.entries()) {
      const trees = { base: left, ours: present.commit, theirs: state };
      const merged = await mergeTrees(own.place, trees, { followsRenames: false });
      const conflicts = merged.kind === 'conflict' ? merged.paths : [];
      for (const path of conflicts) overlapping.add(path);
      const theirs = await theirVersions(own, { tree: merged.tree, present: present.commit, conflicts });
      before.push(await keepTree(own, request, { tree: merged.tree, changes: theirs, number: at + 1 }));
    }
    return { before, files: files.map(({ path }) => path), overlapping: [...overlapping] };
  });
}

/** The person's versions of files that could not be merged. Git may report one under a name of its own, which goes. */
async function theirVersions(
  own: PrivateRepository,
  {
    tree,
    present,
    conflicts,
  }: { readonly tree: string; readonly present: string; readonly conflicts: readonly string[] },
): Promise<readonly TreeChange[]> {
  if (conflicts.length === 0) return [];
  const changes = await changedInTrees(own.place, { before: tree, after: present });
  return changes.filter(({ path }) => conflicts.includes(path)).map(asAfter);
}

function asAfter({ name, after }: FileChange): TreeChange {
  return after ? { kind: 'object', name, ...after } : { kind: 'removed', name };
}

interface KeptTree {
  readonly tree: string;
  readonly changes: readonly TreeChange[];
  readonly number: number;
}

async function keepTree(
  own: PrivateRepository,
  { task, label, beforeLabel, atMs }: RebaseRequest,
  { tree, changes, number }: KeptTree,
): Promise<string> {
  const name = `${label}.${number}`;
  const request = { tree, changes, parent: null, atMs, label: `${task} ${name}` };
  const made = await inStagingArea(own, (into) => commitChanges(into, request));
  noteCommit(own.store, made);
  const modes = namedModes(own.store, shadowRef(task, beforeLabel));
  nameCommit(own.store, { ref: shadowRef(task, name), commit: made.commit, ...(modes && { modes }) });
  return made.commit;
}
