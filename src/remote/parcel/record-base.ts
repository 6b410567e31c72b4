import { createHash } from 'node:crypto';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { crashPoint } from '../../platform/process/crash-point.ts';
import { commitChanges, type TreeChange } from '../../workspace/shadow/commit-changes.ts';
import { nameCommit, namedCommit, noteCommit } from '../../workspace/shadow/object-store.ts';
import {
  openPrivateRepository,
  type PrivateRepository,
  type ShadowPlace,
  usingStore,
} from '../../workspace/shadow/private-repository.ts';
import { inStagingArea } from '../../workspace/shadow/staging-area.ts';
import { shadowRef, takeShadow } from '../../workspace/shadow/take-shadow.ts';
import { describeFiles } from './describe-files.ts';
import { nameInputs } from './folder-repository.ts';
import { type IncludedRequest, readIncluded } from './read-included.ts';
import { workMetaText } from './work-meta.ts';

export interface BaseRequest extends IncludedRequest {
  readonly workspaceRoot: string;
  /** TASK-… */
  readonly task: string;
  readonly round: number;
  readonly atMs: number;
  /** The paths that count, in a folder that is not in git; absent where all do. */
  readonly inputs?: readonly string[];
}

export interface RecordedBase {
  readonly own: PrivateRepository;
  /** HEAD; null before the first commit, and without git. */
  readonly head: string | null;
  readonly state: string;
  readonly beside: string;
}

/** The name of the description in the tree of the commit that goes beside the files. */
export const META = 'meta.json';

/**
 * Records the files of a workspace as the base of work for another node. A base that was recorded is used again: the parcel of a
 * task stays the same, whatever happens to the files.
 */
export async function recordBase(request: BaseRequest): Promise<RecordedBase | Refusal> {
  const { place, task, round, atMs, inputs } = request;
  const own = await openPrivateRepository(place);
  const refs = refsOf(request);
  const known = recordedIn(own, refs);
  if (known) return known;
  const refusal = inputs && nameInputs(place.repository, inputs);
  if (refusal) return refusal;
  // A folder that is not in git may have any number of folders that are none of the work's business.
  const findsUnrecorded = inputs === undefined;
  const shadow = await takeShadow(place, { task, label: `${round}/sent`, atMs, findsUnrecorded });
  const included = await readIncluded(request);
  if (isRefusal(included)) return included;
  const meta = await describeFiles(request, shadow);
  const text = Buffer.from(workMetaText({ ...meta, modes: { ...meta.modes, ...included.modes } }));
  const first: TreeChange = { kind: 'bytes', name: Buffer.from(META), mode: '100644', object: '', bytes: text };
  const label = `${task} ${round}/sent-beside`;
  const commit = { tree: null, changes: [first, ...included.changes], parent: null, atMs, label };
  const made = await usingStore(place, `index of ${place.root}`, () =>
    inStagingArea(own, (into) => commitChanges(into, commit)),
  );
  noteCommit(own.store, made);
  crashPoint('parcel.base-recorded');
  if (shadow.head !== null) nameCommit(own.store, { ref: refs.head, commit: shadow.head });
  // The last one: with it the base is whole.
  nameCommit(own.store, { ref: refs.beside, commit: made.commit });
  return { own, head: shadow.head, state: shadow.commit, beside: made.commit };
}

function refsOf({ task, round }: BaseRequest) {
  const ref = (name: string) => shadowRef(task, `${round}/${name}`);
  return { state: ref('sent'), head: ref('sent-head'), beside: ref('sent-beside') };
}

/** Null where no base was recorded yet, or its record was torn. */
function recordedIn(own: PrivateRepository, refs: ReturnType<typeof refsOf>): RecordedBase | null {
  const [state, head, beside] = [refs.state, refs.head, refs.beside].map((ref) => namedCommit(own.store, ref));
  if (!state || !beside || state === 'torn' || beside === 'torn' || head === 'torn') return null;
  return { own, state, beside, head: head ?? null };
}

/** The name of a repository for other nodes: it tells them nothing but which parcels are of the same one. */
export function repositoryName({ repository }: ShadowPlace): string {
  return createHash('sha256').update(`repository\0${repository.commonDir}`).digest('hex');
}
