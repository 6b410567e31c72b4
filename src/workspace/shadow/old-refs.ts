import type { Repository } from '../../domain/work/repository.ts';
import { git } from '../git.ts';
import { importCommit } from './import-commit.ts';
import { forgetShown, isBorrowing, nameCommit, namedCommit, storedTree, wasShown } from './object-store.ts';
import {
  openPrivateRepository,
  type PrivateRepository,
  type ShadowPlace,
  storeOf,
  usingStore,
} from './private-repository.ts';

interface OldRef {
  readonly ref: string;
  readonly commit: string;
}

const LINE = /^([0-9a-f]+) (refs\/baton\/\S+)$/;

/**
 * Earlier versions also made a ref of the user's repository for every shadow commit, which `git log --all` and graphical
 * clients showed. Moves these refs into the store. A ref is removed only once the store has its commit under the same name;
 * refs of another data folder, or of the user, stay.
 */
export async function moveOldRefs(
  own: PrivateRepository,
  repository: Repository,
  isOurs: (task: string) => boolean = () => false,
): Promise<number> {
  // The user's objects are still needed: these refs keep them from git's own pruning.
  const listed = isBorrowing(own.store) ? null : await listRefs(repository);
  if (listed === null) return 0;
  const moved: OldRef[] = [];
  for (const old of listed) if (await isInStore(own, repository, { ...old, isOurs })) moved.push(old);
  const isRemoved = await removeRefs(repository, moved);
  if (isRemoved) forgetShown(own.store);
  return isRemoved ? moved.length : 0;
}

/** Does the same for a workspace whose shadows are not being taken. */
export async function moveRefsOf(place: ShadowPlace): Promise<void> {
  if (!wasShown(storeOf(place))) return;
  await usingStore(place, `index of ${place.root}`, async () => {
    await moveOldRefs(await openPrivateRepository(place), place.repository);
  });
}

/** Whether refs of an earlier version may be left; costs no process. */
export function mayHaveOldRefs({ store }: PrivateRepository): boolean {
  return wasShown(store) && !isBorrowing(store);
}

/** Null where git cannot read the repository. */
async function listRefs({ gitDir, root }: Repository): Promise<readonly OldRef[] | null> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/baton'];
  const { stdout, exitCode } = await git({ gitDir, workTree: root }, { args, exitCodes: [0, 1, 128] });
  if (exitCode !== 0) return null;
  const found = stdout
    .toString('utf8')
    .split('\n')
    .map((line) => LINE.exec(line));
  return found.flatMap((match) => (match ? [{ commit: match[1] as string, ref: match[2] as string }] : []));
}

/** Copies what the store does not have yet; false for a ref that belongs to somebody else. */
async function isInStore(
  own: PrivateRepository,
  repository: Repository,
  { ref, commit, isOurs }: OldRef & { readonly isOurs: (task: string) => boolean },
): Promise<boolean> {
  const named = namedCommit(own.store, ref);
  const tree = storedTree(own.store, commit);
  const hasCommit = tree !== null && tree !== 'torn';
  // A later commit has the name: this one is of no use any more, if it was Baton's.
  if (named !== null && named !== 'torn' && (named !== commit || hasCommit)) return hasCommit;
  const [, , task = ''] = ref.split('/');
  if (named === null && !isOurs(task)) return false;
  if (!hasCommit && (await importCommit(own, repository, commit)) === null) return false;
  nameCommit(own.store, { ref, commit });
  return true;
}

/** All of them or none; false where git does not do it, because a ref changed or the repository cannot be written to. */
async function removeRefs({ gitDir, root }: Repository, refs: readonly OldRef[]): Promise<boolean> {
  if (refs.length === 0) return true;
  const input = Buffer.from(refs.map(({ ref, commit }) => `delete ${ref}\0${commit}\0`).join(''));
  const call = { args: ['update-ref', '--no-deref', '-z', '--stdin'], input, exitCodes: [0, 1, 128] };
  return (await git({ gitDir, workTree: root }, call)).exitCode === 0;
}
