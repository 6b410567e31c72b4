import { type Refusal, refuseTask } from '../../domain/refusal.ts';
import type { RunSpan } from '../../domain/work/point.ts';
import { changedInTrees, type FileChange } from '../diff-shadows.ts';
import { restoreModes } from '../files/file-modes.ts';
import { isFileChange, occupiedPaths, putFiles } from '../files/put-files.ts';
import { makeStaging, stageFiles, versionsAfter } from '../files/staging.ts';
import { ignoredBefore } from '../ignored-before.ts';
import { namedModes } from '../shadow/object-store.ts';
import {
  openPrivateRepository,
  type PrivateRepository,
  type ShadowPlace,
  usingStore,
} from '../shadow/private-repository.ts';
import { type Shadow, shadowRef, takeShadow } from '../shadow/take-shadow.ts';
import { changedMeanwhile, pathsOfSpans } from './plan-undo.ts';

/** A recorded state, by its commit and the label of its name. */
export interface NamedState {
  readonly commit: string;
  readonly label: string;
}

export interface RewindRequest {
  readonly task: string;
  /** The present state is recorded under this label, so that a rewind can be rewound. */
  readonly label: string;
  /** The state that was recorded last: files that differ from it were changed by others. */
  readonly last: NamedState;
  /** The changes of the task: any other file stays as it is. */
  readonly work: readonly RunSpan[];
  readonly target: NamedState;
  /** The target as its caller named it, for a hint. */
  readonly asked: string;
  /** Replaces files too that others changed: the shadow of the present state has them. */
  readonly isKept: boolean;
  readonly atMs: number;
}

/** The effect of a rewind on files, or what it would be. */
export interface RewindPlan {
  /** Lead from the present state to the target. */
  readonly files: readonly FileChange[];
  /** Files that differ both from the state that was recorded last and from the target. */
  readonly dirty: readonly FileChange[];
  /** Submodules that differ from the target: they are repositories of their own, and stay as they are. */
  readonly submodules: readonly string[];
  readonly present: Shadow;
}

export interface RewoundFiles extends RewindPlan {
  readonly kind: 'rewound';
  /** Files of the present state that the target ignores: they are not removed. */
  readonly leftIgnored: readonly string[];
}

/** Plans a rewind. It records the present state and changes no file. */
export function planRewindOfFiles(
  place: ShadowPlace,
  request: Omit<RewindRequest, 'isKept' | 'asked'>,
): Promise<RewindPlan> {
  return usingStore(place, `files of ${place.root}`, () => plan(place, request));
}

/**
 * Puts the files that a task changed back to a recorded state, byte for byte, with their modes; ignored ones and all others stay.
 * Refuses if somebody else changed one of them, unless it is kept: nothing is changed then. One that was cut off can be repeated.
 */
export function rewindFiles(place: ShadowPlace, request: RewindRequest): Promise<RewoundFiles | Refusal> {
  return usingStore(place, `files of ${place.root}`, () => rewindInTurn(place, request));
}

async function plan(place: ShadowPlace, request: Omit<RewindRequest, 'isKept' | 'asked'>): Promise<RewindPlan> {
  const { task, label, last, target, work, atMs } = request;
  const present = await takeShadow(place, { task, label, atMs, basis: last.commit });
  const { place: own } = await openPrivateRepository(place);
  const [moved, since, touched] = await Promise.all([
    changedInTrees(own, { before: present.commit, after: target.commit }),
    changedInTrees(own, { before: last.commit, after: present.commit }),
    pathsOfSpans(own, work),
  ]);
  const all = moved.filter(({ path }) => touched.has(path));
  const moving = new Set(all.map(({ path }) => path));
  return {
    files: all.filter(isFileChange),
    dirty: since.filter((change) => isFileChange(change) && moving.has(change.path)),
    submodules: all.filter((change) => !isFileChange(change)).map(({ path }) => path),
    present,
  };
}

async function rewindInTurn(place: ShadowPlace, request: RewindRequest): Promise<RewoundFiles | Refusal> {
  const planned = await plan(place, request);
  if (planned.dirty.length > 0 && !request.isKept)
    return refuseDirty(
      request,
      planned.dirty.map(({ path }) => path),
    );
  const own = await openPrivateRepository(place);
  const staging = makeStaging(own, place);
  try {
    const ignored = await ignoredBefore(own, staging, { before: request.target.commit, changes: planned.files });
    const files = planned.files.filter(({ path }) => !ignored.has(path));
    const occupied = occupiedPaths(place.root, files);
    if (occupied.length > 0) return refuseOccupied(request, occupied);
    await stageFiles(own, staging, versionsAfter(files));
    const meanwhile = changedMeanwhile(own, files);
    if (meanwhile.length > 0) return refuseDirty(request, meanwhile);
    putAll(place, own, { request, planned, files, staging });
    return { kind: 'rewound', ...planned, files, leftIgnored: [...ignored] };
  } finally {
    staging.remove();
  }
}

interface PreparedRewind {
  readonly request: RewindRequest;
  readonly planned: RewindPlan;
  readonly files: readonly FileChange[];
  readonly staging: ReturnType<typeof makeStaging>;
}

function putAll(
  { root }: ShadowPlace,
  { store }: PrivateRepository,
  { request, planned, files, staging }: PreparedRewind,
): void {
  const modes = namedModes(store, shadowRef(request.task, request.target.label));
  putFiles(root, files, { ...staging, ...(modes && { modes }) });
  const present = planned.present.modes;
  if (!modes || !present) return;
  restoreModes(root, { before: modes, after: present, present }, new Set(files.map(({ path }) => path)));
}

function refuseDirty({ task, asked }: RewindRequest, paths: readonly string[]): Refusal {
  const what = paths.length === 1 ? 'a file was' : `${paths.length} files were`;
  const refusal = refuseTask('changed_since', `${what} changed since this task recorded its files`, task);
  return { ...refusal, hint: `baton rewind ${task} --to ${asked} --keep saves them first`, details: paths };
}

function refuseOccupied({ task }: RewindRequest, paths: readonly string[]): Refusal {
  const what = paths.length === 1 ? 'an ignored file stands' : `${paths.length} ignored files stand`;
  const refusal = refuseTask('changed_since', `${what} where the rewind puts a file`, task);
  return { ...refusal, hint: 'move them away, then run this again', details: paths };
}
