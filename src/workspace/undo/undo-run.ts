import { type Refusal, refuseTask } from '../../domain/refusal.ts';
import type { RunSpan } from '../../domain/work/point.ts';
import type { FileChange } from '../diff-shadows.ts';
import { restoreModes } from '../files/file-modes.ts';
import { occupiedPaths, putFiles } from '../files/put-files.ts';
import { makeStaging, stageFiles, versionsAfter } from '../files/staging.ts';
import { ignoredBefore } from '../ignored-before.ts';
import { namedModes } from '../shadow/object-store.ts';
import {
  openPrivateRepository,
  type PrivateRepository,
  type ShadowPlace,
  usingStore,
} from '../shadow/private-repository.ts';
import { type Shadow, takeShadow } from '../shadow/take-shadow.ts';
import { changedMeanwhile, planUndo } from './plan-undo.ts';

export interface UndoRequest {
  readonly task: string;
  /** The present state is recorded under this label, so that an undo can be undone. */
  readonly label: string;
  /** The commits of the run. */
  readonly before: string;
  readonly after: string;
  /** Earlier runs that are undone too, newest first; a person changed files between them. */
  readonly earlier?: readonly RunSpan[];
  /** Only files that changed in one of these spans are the run's; absent where all are. */
  readonly within?: readonly RunSpan[];
  /** Undo files of the run too that a person changed since: their present state is in the shadow that the answer names. */
  readonly isKept: boolean;
  readonly atMs: number;
  /** The beginning of the work: an empty folder that is older stays. */
  readonly startedAtMs?: number;
  /** Folders that were repositories before the work, each with a slash at its end: no shadow has their files, and they stay. */
  readonly exceptIn?: readonly string[];
  /** The refs of these commits, under which file modes are stored. */
  readonly refs?: { readonly before: string; readonly after: string };
}

export interface UndoResult {
  readonly kind: 'undone';
  readonly files: readonly FileChange[];
  readonly present: Shadow;
  /** Files of the run that a person had changed since: their state before the undo is in `present`. */
  readonly saved: readonly string[];
  /** Files of the run that were ignored before it: they are not removed. */
  readonly leftIgnored: readonly string[];
}

/** Takes back what a run did to files, tracked or not, and nothing else; ignored files stay as they are. */
export function undoRun(place: ShadowPlace, request: UndoRequest): Promise<UndoResult | Refusal> {
  return usingStore(place, `files of ${place.root}`, () => undoInTurn(place, request));
}

async function undoInTurn(place: ShadowPlace, request: UndoRequest): Promise<UndoResult | Refusal> {
  const { task, label, before, after, earlier = [], atMs } = request;
  const present = await takeShadow(place, { task, label, atMs, basis: after });
  const own = await openPrivateRepository(place);
  const planned = await planUndo(own.place, {
    before,
    after,
    earlier,
    present,
    ...(request.within && { within: request.within }),
  });
  if (planned.overlapping.length > 0 && !request.isKept) return changed(task, planned.overlapping);
  const staging = makeStaging(own, place);
  try {
    const ignored = await ignoredBefore(own, staging, { before, changes: planned.files });
    const isExcepted = (path: string) => request.exceptIn?.some((folder) => path.startsWith(folder)) ?? false;
    const files = planned.files.filter(({ path }) => !ignored.has(path) && !isExcepted(path));
    const occupied = occupiedPaths(place.root, files);
    if (occupied.length > 0) return changed(task, occupied);
    await stageFiles(own, staging, versionsAfter(files));
    const meanwhile = changedMeanwhile(own, files);
    if (meanwhile.length > 0) return changed(task, meanwhile);
    const modes = modesFor(own, request);
    const since = request.startedAtMs === undefined ? {} : { foldersSinceMs: request.startedAtMs };
    putFiles(place.root, files, { ...staging, ...since, ...(modes && { modes: modes.before }) });
    if (modes) restoreModes(place.root, { ...modes, present: present.modes }, new Set(files.map(({ path }) => path)));
    return { kind: 'undone', files, present, saved: planned.overlapping, leftIgnored: [...ignored] };
  } finally {
    staging.remove();
  }
}

/** The modes of files before and after a run; null where one of them was not recorded. */
export function modesFor({ store }: PrivateRepository, { refs }: Pick<UndoRequest, 'refs'>) {
  const [before, after] = [refs?.before, refs?.after].map((ref) => (ref ? namedModes(store, ref) : null));
  return before && after ? { before, after } : null;
}

function changed(task: string, paths: readonly string[]): Refusal {
  const message = `${paths.length === 1 ? 'a file of the run was' : `${paths.length} files of the run were`} changed since`;
  return { ...refuseTask('changed_since', message, task), details: paths };
}
