import { rmSync } from 'node:fs';
import type { Repository } from '../../domain/work/repository.ts';
import { readHead } from '../read-head.ts';
import { readRepositoryStatus } from '../repository-status.ts';
import type { EarlierRules } from './find-names.ts';
import { importCommit } from './import-commit.ts';
import { type Basis, nameCommit, namedCommit, noteCommit, storedTree } from './object-store.ts';
import { mayHaveOldRefs, moveOldRefs } from './old-refs.ts';
import {
  openPrivateRepository,
  type PrivateRepository,
  type ShadowPlace,
  storeOf,
  usingStore,
} from './private-repository.ts';
import { type RecordedFiles, recordFiles } from './record-files.ts';
import { inStagingArea } from './staging-area.ts';

/** A recorded state of all files of a workspace, ignored ones aside. */
export interface Shadow {
  /** Holds the files byte for byte; HEAD itself where they are the same. */
  readonly commit: string;
  /** The commit for SAOP (saop:git-hash): HEAD where the user's git sees no change, else the shadow. Runs the user's git. */
  gitHash(): Promise<string>;
  readonly tree: string;
  /** HEAD of the repository; null before its first commit. */
  readonly head: string | null;
  readonly ref: string;
  /** Ignored files and folders, each folder once and with a slash at its end: they are not recorded. */
  readonly ignored: readonly Buffer[];
  readonly unreadable: readonly string[];
  readonly modes: RecordedFiles['modes'];
  /** The files that differ from the basis, in the order of their names; null where only git can tell. */
  readonly changed: RecordedFiles['changed'];
  readonly unrecorded: RecordedFiles['unrecorded'];
}

export interface ShadowRequest {
  /** The name in the store is refs/baton/<task>/<label>. */
  readonly task: string;
  /** Such as `1/before`. */
  readonly label: string;
  /** The commit from before the run; a file in it is recorded even if it is ignored now. Without it, HEAD. */
  readonly basis?: string;
  /** Ignore rules that are in force beside the present ones: a new file that they do not ignore is recorded. */
  readonly rules?: EarlierRules;
  /** Finds nested repositories and empty folders too. */
  readonly findsUnrecorded?: boolean;
  readonly atMs: number;
}

const REF_PART = /^[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/;

/**
 * Records the files of a workspace in Baton's own store, under a name that no listing of the user's git shows. The repository
 * is not written to. Works in a broken repository too, where a shadow is needed most.
 */
export function takeShadow(place: ShadowPlace, request: ShadowRequest): Promise<Shadow> {
  const ref = shadowRef(request.task, request.label);
  return usingStore(place, `index of ${place.root}`, async () => {
    const own = await openPrivateRepository(place);
    // Only one call at a time is here: a lock is left over from a process that died.
    rmSync(`${own.indexFile}.lock`, { force: true });
    const head = await basisOf(own, place.repository, place.head ?? (await readHead(place.repository)));
    const basis = request.basis === undefined ? head : await basisOf(own, place.repository, request.basis);
    const label = `${request.task} ${request.label}`;
    const { rules, findsUnrecorded = false, atMs } = request;
    const record = { head, basis, rules, findsUnrecorded, label, atMs };
    const made = await inStagingArea(own, (into) => recordFiles(into, place.repository, record));
    const { tree, commit, hasAdded, ignored, unreadable, modes, changed, unrecorded } = made;
    noteCommit(own.store, { commit, tree });
    nameCommit(own.store, { ref, commit, modes });
    if (mayHaveOldRefs(own)) await moveOldRefs(own, place.repository);
    const gitHash = async () => {
      // Either answer is this commit.
      if (head === null || hasAdded || head.commit === commit) return commit;
      return (await isCleanToGit(place)) ? head.commit : commit;
    };
    return { commit, gitHash, tree, head: head?.commit ?? null, ref, ignored, unreadable, modes, changed, unrecorded };
  });
}

/** Whether the store has a shadow by its name or its commit: `baton clean` removes both. */
export function hasShadow(
  place: ShadowPlace,
  { task, label, commit }: Pick<ShadowRequest, 'task' | 'label'> & { readonly commit: string },
): boolean {
  const store = storeOf(place);
  return namedCommit(store, shadowRef(task, label)) !== null || storedTree(store, commit) !== null;
}

export function shadowRef(task: string, label: string): string {
  const parts = [task, ...label.split('/')];
  if (!parts.every((part) => REF_PART.test(part) && !part.endsWith('.lock') && part.length <= 128)) {
    throw new TypeError(`not a name for a shadow: ${JSON.stringify([task, label])}`);
  }
  return `refs/baton/${parts.join('/')}`;
}

/** Null where there is no such commit, as in a repository before its first. */
async function basisOf(own: PrivateRepository, repository: Repository, commit: string | null): Promise<Basis | null> {
  return commit === null ? null : await importCommit(own, repository, commit);
}

/** If git converts line ends, a file may differ from HEAD in its bytes and still count as unchanged. */
async function isCleanToGit(place: ShadowPlace): Promise<boolean> {
  if (place.root !== place.repository.root || (await readHead(place.repository)) === null) return false;
  try {
    const status = await readRepositoryStatus(place.root);
    return status.kind === 'repository' && !status.isDirty;
  } catch {
    // A repository that git cannot read says nothing about its files.
    return false;
  }
}
