import { rmSync } from 'node:fs';
import type { Repository } from '../find-repository.ts';
import { git, gitLine } from '../git.ts';
import { inTurn } from '../in-turn.ts';
import { lookAtRepository } from '../look-at-repository.ts';
import { openPrivateRepository, type PrivateRepository, type ShadowPlace } from './private-repository.ts';
import { type Basis, readWorkTree } from './read-work-tree.ts';

/** A recorded state of all files of a workspace, ignored ones aside. */
export interface Shadow {
  /** Holds the files byte for byte; HEAD itself where they are the same. */
  readonly commit: string;
  /** What SAOP tells (D-S5): HEAD where git sees no change, else the commit. */
  readonly gitHash: string;
  readonly tree: string;
  /** HEAD of the repository when it was taken; null where there was no commit. */
  readonly head: string | null;
  readonly ref: string;
  readonly unreadable: readonly string[];
}

export interface ShadowOrder {
  /** The commit is kept under refs/baton/<task>/<label>. */
  readonly task: string;
  /** Such as `1/before`. */
  readonly label: string;
  /** The commit taken before, where this one is taken after a run; without it HEAD says what belongs to the repository. */
  readonly basis?: string;
  readonly atMs: number;
}

const REF_PART = /^[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/;

/** Records the files of a workspace under refs/baton/. Branch, index, stash list and files are left as they are. */
export function takeShadow(place: ShadowPlace, order: ShadowOrder): Promise<Shadow> {
  const ref = shadowRef(order.task, order.label);
  return inTurn(`index of ${place.root}`, async () => {
    const own = await openPrivateRepository(place);
    // A lock that is there in our turn was left by a process that died.
    rmSync(`${own.indexFile}.lock`, { force: true });
    const head = await basisOf(place.repository, place.head ?? 'HEAD');
    const basis = order.basis === undefined ? head : await basisOf(place.repository, order.basis);
    const { tree, hasAdded, unreadable } = await readWithFreshIndex(own, place.repository, basis);
    const commit = await commitOf(own, { tree, head, atMs: order.atMs, label: `${order.task} ${order.label}` });
    await keepCommit(place.repository, ref, commit);
    const isHead = head !== null && (commit === head.commit || (!hasAdded && (await isCleanToGit(place))));
    const gitHash = isHead ? head.commit : commit;
    return { commit, gitHash, tree, head: head?.commit ?? null, ref, unreadable };
  });
}

export function shadowRef(task: string, label: string): string {
  const parts = [task, ...label.split('/')];
  if (!parts.every((part) => REF_PART.test(part) && !part.endsWith('.lock') && part.length <= 128)) {
    throw new TypeError(`not a name for a shadow: ${JSON.stringify([task, label])}`);
  }
  return `refs/baton/${parts.join('/')}`;
}

/** An index whose objects are gone, as after an eager prune, is worth nothing: it is read anew, once. */
async function readWithFreshIndex(own: PrivateRepository, repository: Repository, basis: Basis | null) {
  try {
    return await readWorkTree(own, repository, basis);
  } catch {
    // If it was not the index, the second try tells.
    await git(own.place, { args: ['read-tree', '--empty'] });
    return readWorkTree(own, repository, basis);
  }
}

export async function headOf(repository: Repository): Promise<string | null> {
  return (await basisOf(repository, 'HEAD'))?.commit ?? null;
}

/** Null where there is no such commit, as in a repository before its first. */
async function basisOf(repository: Repository, commit: string): Promise<Basis | null> {
  const place = { gitDir: repository.gitDir, workTree: repository.root };
  const args = ['rev-parse', '--quiet', '--revs-only', `${commit}^{commit}`, `${commit}^{tree}`];
  const [found, tree] = (await gitLine(place, { args, exitCodes: [0, 1, 128] })).split('\n');
  return found && tree ? { commit: found, tree } : null;
}

interface CommitFacts {
  readonly tree: string;
  readonly head: Basis | null;
  readonly atMs: number;
  readonly label: string;
}

async function commitOf(own: PrivateRepository, { tree, head, atMs, label }: CommitFacts): Promise<string> {
  if (head?.tree === tree) return head.commit;
  const at = `@${Math.floor(atMs / 1000)} +0000`;
  const env = { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
  const args = ['commit-tree', tree, ...(head ? ['-p', head.commit] : []), '-m', `baton: ${label}`];
  return gitLine(own.place, { args, env });
}

/** A ref on HEAD, too: the commit must still be there when its branch has moved on. */
export async function keepCommit(repository: Repository, ref: string, commit: string): Promise<void> {
  const place = { gitDir: repository.gitDir, workTree: repository.root };
  await git(place, { args: ['update-ref', '--no-deref', ref, commit] });
}

/** Where git turns line ends, files may differ from HEAD byte for byte and be no change. */
async function isCleanToGit(place: ShadowPlace): Promise<boolean> {
  if (place.root !== place.repository.root) return false;
  const look = await lookAtRepository(place.root);
  return look.kind === 'repository' && !look.isDirty;
}
