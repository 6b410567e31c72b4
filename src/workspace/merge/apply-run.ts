import { type Refusal, refuseTask } from '../../domain/refusal.ts';
import type { RunSpan } from '../../domain/work/point.ts';
import { changedInTrees, type FileChange } from '../diff-shadows.ts';
import { restoreModes } from '../files/file-modes.ts';
import { isFileChange, occupiedPaths, putFiles } from '../files/put-files.ts';
import { makeStaging, stageFiles, versionsAfter } from '../files/staging.ts';
import type { GitPlace } from '../git.ts';
import { openPrivateRepository, type ShadowPlace, usingStore } from '../shadow/private-repository.ts';
import { takeShadow } from '../shadow/take-shadow.ts';
import { modesFor } from '../undo/undo-run.ts';
import { knownPaths, mergeTrees, type TreeMerge } from './merge-trees.ts';

export interface ApplyRequest {
  readonly task: string;
  /** The present state is recorded under this label if anything changes, so that applying can be undone. */
  readonly label: string;
  /** The commits of the run. */
  readonly before: string;
  readonly after: string;
  /** Earlier runs that are applied too, newest first; a person changed files between them. */
  readonly earlier?: readonly RunSpan[];
  /** The refs of these commits, under which file modes are stored: the files get the modes of `after`. */
  readonly refs?: { readonly before: string; readonly after: string };
  readonly atMs: number;
}

export interface ApplyResult {
  readonly kind: 'applied';
  /** Files that were written, uncommitted. */
  readonly files: readonly FileChange[];
}

/** Merges the work of a run into the user's files: all of it, or nothing on a conflict. */
export function applyRun(place: ShadowPlace, request: ApplyRequest): Promise<ApplyResult | Refusal> {
  return usingStore(place, `files of ${place.root}`, () => applyInTurn(place, request));
}

async function applyInTurn(place: ShadowPlace, request: ApplyRequest): Promise<ApplyResult | Refusal> {
  const { task, label, atMs } = request;
  const present = await takeShadow(place, { task, label: `${label}-look`, atMs });
  const own = await openPrivateRepository(place);
  const merged = await mergeSpans(own.place, present.commit, request);
  if (merged.kind === 'conflict') return conflict(task, merged.paths);
  const files = (await changedInTrees(own.place, { before: present.tree, after: merged.tree })).filter(isFileChange);
  // Applied already: the state recorded at that time must stay the one that undo restores.
  if (files.length === 0) return { kind: 'applied', files };
  const occupied = occupiedPaths(place.root, files);
  if (occupied.length > 0) return conflict(task, occupied);
  const staging = makeStaging(own, place);
  try {
    await stageFiles(own, staging, versionsAfter(files));
    const again = await takeShadow(place, { task, label, atMs });
    if (again.tree !== present.tree) {
      const refusal = refuseTask('changed_since', 'files were changed while the work was being applied', task);
      return { ...refusal, hint: 'nothing was changed; run the command again' };
    }
    const modes = modesFor(own, request);
    putFiles(place.root, files, { ...staging, ...(modes && { modes: modes.after }) });
    // What undo does, the other way round.
    const back = modes && { before: modes.after, after: modes.before, present: again.modes };
    if (back) restoreModes(place.root, back, new Set(files.map(({ path }) => path)));
    return { kind: 'applied', files };
  } finally {
    staging.remove();
  }
}

/** Merges one run after the other into a tree, oldest first, in trees alone. */
async function mergeSpans(own: GitPlace, present: string, { earlier = [], ...last }: ApplyRequest): Promise<TreeMerge> {
  let merged: TreeMerge = { kind: 'merged', tree: present };
  for (const { before, after } of [...[...earlier].reverse(), last]) {
    merged = await mergeTrees(own, { base: before, ours: merged.tree, theirs: after });
    if (merged.kind === 'conflict') return merged;
  }
  return merged;
}

/** Files of a run and of the user that cannot be merged. */
export function conflict(task: string, found: readonly string[]): Refusal {
  const paths = knownPaths(found);
  const message = `${paths.length === 1 ? 'a file conflicts' : `${paths.length} files conflict`} with what you have`;
  return { ...refuseTask('merge_conflict', message, task), details: paths };
}
