import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { storedTree } from '../../workspace/shadow/object-store.ts';
import type { PrivateRepository } from '../../workspace/shadow/private-repository.ts';
import type { Blobs, Parcel } from './parcel.ts';
import { parcelPlace } from './parcel-place.ts';
import { recordBase, repositoryName } from './record-base.ts';
import { refuseLarge, sendPack, withoutObjectsOf } from './send-pack.ts';
import { walkTrees } from './walk-trees.ts';

export interface WorkToPack {
  readonly dataFolder: string;
  readonly workspaceRoot: string;
  /** TASK-… */
  readonly task: string;
  /** tsk_… */
  readonly uid: string;
  readonly round: number;
  /** The files and folders that travel where the workspace is not in git. */
  readonly inputs: readonly string[];
  readonly include: readonly string[];
  /** Commits that the other node has. */
  readonly haves: readonly string[];
  readonly bytesMax: number;
  readonly atMs: number;
  readonly blobs: Blobs;
}

/**
 * Packs the base of a task for another node: all files as they are, tracked or not, dirty or not, without history. Ignored ones
 * stay, but for those that the configuration names. Nothing of the user's repository changes.
 */
export async function packWork(request: WorkToPack): Promise<Parcel | Refusal> {
  const { dataFolder, blobs, task, uid, round, inputs, bytesMax } = request;
  const { place, kind } = parcelPlace(request);
  const { inputs: _, ...about } = request;
  const base = await recordBase({ ...about, place, ...(kind === 'files' && { inputs }) });
  if (isRefusal(base)) return base;
  const { own, head, state, beside } = base;
  const tips = [...new Set([state, ...(head === null ? [] : [head]), beside])];
  const walked = await walkTrees(own.place, tips);
  if (typeof walked === 'string')
    return refuse('invalid_argument', `the work cannot travel to another node: ${walked}`);
  const large = refuseLarge(walked.sizeOf(state), walked.objects, bytesMax);
  if (large) return large;
  const needs = request.haves.filter((commit) => isStored(own, commit));
  const objects = await withoutObjectsOf(own.place, walked.objects, needs);
  const pack = { dataFolder, name: `${task}-${round}`, objects, blobs };
  return {
    version: 1,
    kind,
    holds: 'work',
    about: `${uid}/${round}`,
    repository: repositoryName(place),
    objectFormat: own.objectBytes === 32 ? 'sha256' : 'sha1',
    baseCommit: head,
    state,
    beside,
    needs,
    ...(await sendPack(own.place, pack)),
  };
}

function isStored({ store }: PrivateRepository, commit: string): boolean {
  const tree = storedTree(store, commit);
  return tree !== null && tree !== 'torn';
}
