import { join } from 'node:path';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { type GitPlace, git } from '../../workspace/git.ts';
import { commitChanges, type TreeChange } from '../../workspace/shadow/commit-changes.ts';
import { nameCommit, noteCommit } from '../../workspace/shadow/object-store.ts';
import {
  openPrivateRepository,
  type PrivateRepository,
  type ShadowPlace,
  usingStore,
} from '../../workspace/shadow/private-repository.ts';
import { inStagingArea } from '../../workspace/shadow/staging-area.ts';
import { shadowRef } from '../../workspace/shadow/take-shadow.ts';
import type { Blobs, Parcel } from './parcel.ts';
import { refuseLarge, sendPack, withoutObjectsOf } from './send-pack.ts';
import { walkTrees } from './walk-trees.ts';

/** A file that goes beside the work. */
export interface BesideFile {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface StatesToPack {
  /** The workspace of the work. */
  readonly place: ShadowPlace;
  readonly task: string;
  readonly round: number;
  /** HEAD when the work began, which the other side has; null for none. */
  readonly head: string | null;
  /** The state before the work: the other side has its files. */
  readonly before: string;
  /** The state after the work. */
  readonly after: string;
  /** All states that travel, these two among them. */
  readonly states: readonly string[];
  /** The last of the agent's own commits, which follow HEAD. */
  readonly tip: string | null;
  readonly files: readonly BesideFile[];
  readonly about: Pick<Parcel, 'kind' | 'about' | 'repository'>;
  readonly bytesMax: number;
  readonly atMs: number;
  readonly blobs: Blobs;
}

/** Packs recorded states of unpacked work for the node that it came from: what they have that the base has not. */
export async function packStates(request: StatesToPack): Promise<Parcel | Refusal> {
  const { place, head, before, after, states, tip, about, task, round, blobs, bytesMax } = request;
  const own = await openPrivateRepository(place);
  const commits = tip === null || head === null ? [] : await commitsBetween(own.place, own.folder, { head, tip });
  const beside = await commitBeside(own, request);
  const walked = await walkTrees(own.place, [...new Set([...states, ...(commits ?? []), beside])]);
  if (typeof walked === 'string')
    return refuse('invalid_argument', `the work cannot travel to another node: ${walked}`);
  const large = refuseLarge(walked.sizeOf(after), walked.objects, 2 * bytesMax);
  if (large) return large;
  const known = [before, ...(head === null ? [] : [head])];
  const objects = await withoutObjectsOf(own.place, walked.objects, known);
  // The other side has its files, and need not have the commit.
  const first = before === head ? [] : walked.objects.filter(({ name }) => name === before);
  const bytes = objects.reduce((sum, object) => sum + object.bytes, 0);
  const much = refuseLarge({ files: 0, bytes }, objects, bytesMax);
  if (much) return much;
  const pack = { dataFolder: place.dataFolder, name: `${task}-${round}`, objects: [...first, ...objects], blobs };
  return {
    version: 1,
    ...about,
    holds: 'result',
    objectFormat: own.objectBytes === 32 ? 'sha256' : 'sha1',
    baseCommit: head,
    state: after,
    beside,
    needs: head === null ? [] : [head],
    ...(await sendPack(own.place, pack)),
  };
}

/** Made in the store, so that a parcel that is packed again is the same. */
async function commitBeside(own: PrivateRepository, request: StatesToPack): Promise<string> {
  const { place, task, round, files, atMs } = request;
  const changes = files.map(
    ({ name, bytes }): TreeChange => ({ kind: 'bytes', name: Buffer.from(name), mode: '100644', object: '', bytes }),
  );
  const commit = { tree: null, changes, parent: null, atMs, label: `${task} ${round}/result-beside` };
  const made = await usingStore(place, `index of ${place.root}`, () =>
    inStagingArea(own, (into) => commitChanges(into, commit)),
  );
  noteCommit(own.store, made);
  nameCommit(own.store, { ref: shadowRef(task, `${round}/result-beside`), commit: made.commit });
  return made.commit;
}

/**
 * The commits that lead from HEAD to the tip, oldest first; null where the tip does not follow HEAD. The store has no history before
 * HEAD.
 */
export async function commitsBetween(
  place: GitPlace,
  folder: string,
  { head, tip }: { readonly head: string; readonly tip: string },
): Promise<readonly string[] | null> {
  const shallow = join(folder, 'travel-shallow');
  replaceFile(shallow, `${head}\n`, { isSynced: false });
  const bare = { ...place, workTree: folder };
  const env = { GIT_SHALLOW_FILE: shallow };
  const ancestor = await git(bare, { args: ['merge-base', '--is-ancestor', head, tip], env, exitCodes: [0, 1] });
  if (ancestor.exitCode !== 0) return null;
  const { stdout } = await git(bare, { args: ['rev-list', '--reverse', '--topo-order', tip, `^${head}`], env });
  return stdout.toString('latin1').split('\n').filter(Boolean);
}
