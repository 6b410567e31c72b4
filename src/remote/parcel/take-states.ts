import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { type GitPlace, git } from '../../workspace/git.ts';
import { nameCommit, noteCommit } from '../../workspace/shadow/object-store.ts';
import {
  openPrivateRepository,
  type PrivateRepository,
  type ShadowPlace,
  usingStore,
} from '../../workspace/shadow/private-repository.ts';
import { inStagingArea, type StagingArea } from '../../workspace/shadow/staging-area.ts';
import { shadowRef } from '../../workspace/shadow/take-shadow.ts';
import type { Blobs, Parcel } from './parcel.ts';
import { indexPack, receivePack } from './receive-pack.ts';
import { type WalkedTrees, walkTrees } from './walk-trees.ts';

export interface StatesToTake {
  /** The repository here that the work was of. */
  readonly place: ShadowPlace;
  readonly parcel: Parcel;
  readonly bytesMax: number;
  readonly blobs: Blobs;
}

export interface ResultJudge<T> {
  judge(staged: StagedResult): Promise<T | Refusal>;
  /** Names what is needed of it, before anything can be pruned. */
  keep(own: PrivateRepository, judged: T): void;
}

/** A result whose objects are here, and not yet in the store. */
export interface StagedResult {
  readonly own: PrivateRepository;
  /** Sees the objects of the result and of the store. */
  readonly place: GitPlace;
  /** A file that goes beside the work; null where there is none, or it is larger. */
  readBeside(name: string, bytesMax: number): Promise<Buffer | null>;
  walk(commits: readonly string[]): Promise<WalkedTrees | string>;
}

class RefusedResult extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Receives the objects of a result. They enter the store only if its judge does not refuse it. */
export async function takeStates<T>(request: StatesToTake, { judge, keep }: ResultJudge<T>): Promise<T | Refusal> {
  const { place, parcel } = request;
  const pack = await receivePack({ ...request, dataFolder: place.dataFolder });
  if (isRefusal(pack)) return pack;
  const own = await openPrivateRepository(place);
  const take = async (into: StagingArea): Promise<T> => {
    const unread = await indexPack(into.place, into.objects, pack);
    const judged = unread ?? (await judge(stagedOf(own, into, parcel)));
    if (isRefusal(judged)) throw new RefusedResult(judged);
    return judged;
  };
  try {
    return await usingStore(place, `index of ${place.root}`, async () => {
      const judged = await inStagingArea(own, take);
      keep(own, judged);
      return judged;
    });
  } catch (error) {
    if (error instanceof RefusedResult) return error.refusal;
    throw error;
  }
}

const FATAL = 128;

function stagedOf(own: PrivateRepository, into: StagingArea, { beside }: Parcel): StagedResult {
  // Without a work tree: git would read the attributes in it.
  const place = { ...into.place, workTree: own.folder };
  return {
    own,
    place,
    readBeside: async (name, bytesMax) => {
      const call = { args: ['cat-file', 'blob', `${beside}:${name}`], exitCodes: [0, FATAL], outputBytesMax: bytesMax };
      const { exitCode, stdout, isTruncated } = await git(place, call);
      return exitCode === 0 && !isTruncated ? stdout : null;
    },
    walk: (commits) => walkTrees(place, commits),
  };
}

/** A state of the work, under its label. */
export interface NamedTree {
  readonly label: string;
  readonly commit: string;
  readonly tree: string;
}

/** Names the states of a result in the store, as those of a run here. */
export function nameStates({ store }: PrivateRepository, task: string, states: readonly NamedTree[]): void {
  for (const { label, commit, tree } of states) {
    noteCommit(store, { commit, tree });
    nameCommit(store, { ref: shadowRef(task, label), commit });
  }
}
