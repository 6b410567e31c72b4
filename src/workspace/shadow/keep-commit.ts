import type { Repository } from '../../domain/repository.ts';
import { readRef } from '../read-head.ts';
import { lastShown, type NamedCommit, nameCommit, noteShown } from './object-store.ts';
import type { PrivateRepository } from './private-repository.ts';
import { showRef } from './show-commit.ts';

/** A ref on HEAD, too: the commit must still be there when its branch has moved on. */
export async function keepCommit(
  own: PrivateRepository,
  repository: Repository | null,
  named: NamedCommit,
): Promise<void> {
  const { ref, commit } = named;
  nameCommit(own.store, named);
  // A ref to what is not all there would break the repository for its own git; the next one is shown with all of it.
  const isShown = repository !== null && (await showRef(repository, ref, commit));
  noteShown(own.store, isShown ? { ref, commit } : { ref: 'refs/none', commit: 'none' });
}

/** A repository that lost Baton's last ref may have lost its objects, too: then all of them are shown once more. */
export function isStillShown({ store }: PrivateRepository, repository: Repository): boolean {
  const last = lastShown(store);
  return last === null || readRef(repository, last.ref) === last.commit;
}
