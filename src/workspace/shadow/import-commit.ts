import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMPORTED_COMMIT_BYTES_MAX } from '../../domain/limits.ts';
import type { Repository } from '../../domain/repository.ts';
import { type GitPlace, gitLine, gitPipe } from '../git.ts';
import { type Basis, borrowFrom, noteCommit, type ObjectStore, storedCommit } from './object-store.ts';
import { objectsOf, type PrivateRepository } from './private-repository.ts';

/**
 * Copies a commit of the repository into Baton's own store, with its files and without its history: what an agent does to
 * the repository later can neither take it away nor change it. Only what the last one that was copied does not have is
 * copied, and every object is named by its bytes anew. Null where the repository has no such commit, or not all of it.
 */
export async function importCommit(
  own: PrivateRepository,
  repository: Repository,
  commit: string,
): Promise<Basis | null> {
  const known = storedCommit(own.store, commit);
  if (known) return known;
  const isWhole = await copyObjects(own, repository, commit);
  if (!isWhole) return null;
  const args = ['rev-parse', '--quiet', '--verify', `${commit}^{tree}`];
  const tree = await gitLine(own.place, { args, exitCodes: [0, 1, 128] });
  if (tree === '') return null;
  noteCommit(own.store, { commit, tree });
  return { commit, tree };
}

async function copyObjects(own: PrivateRepository, repository: Repository, commit: string): Promise<boolean> {
  const { store } = own;
  const theirs = objectsOf(repository);
  const last = lastOf(store);
  const lines = [...[commit, ...last].map((one) => `--shallow ${one}`), commit, ...last.map((one) => `^${one}`), ''];
  const shallow = join(store.folder, 'shallow');
  writeFileSync(shallow, `${[commit, ...last].join('\n')}\n`);
  const from = {
    // Deltas that are there are copied; looking for new ones would take most of the time.
    args: ['pack-objects', '--revs', '--thin', '--shallow', '--stdout', '-q', '--window=0'],
    input: Buffer.from(lines.join('\n')),
    env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(theirs) },
  };
  // Its links are followed: an object that holds other bytes than its name says is missing under that name.
  const to = {
    args: ['index-pack', '--stdin', '--fix-thin', '--check-self-contained-and-connected'],
    env: { GIT_SHALLOW_FILE: shallow },
  };
  const ended = await gitPipe(importPlace(own), [from, to], IMPORTED_COMMIT_BYTES_MAX);
  if (ended.exitCodes[0] === 0 && (ended.exitCodes[1] === 0 || ended.exitCodes[1] === 1)) {
    writeFileSync(join(store.folder, 'last'), commit);
    return true;
  }
  if (!ended.isTooMuch && !isPartial(theirs)) return false;
  borrowFrom(store, theirs);
  return true;
}

/** Without a work tree: git would read the attributes in it. */
function importPlace({ folder, place }: PrivateRepository): GitPlace {
  return { ...place, workTree: folder };
}

function lastOf({ folder }: ObjectStore): string[] {
  const file = join(folder, 'last');
  return existsSync(file) ? [readFileSync(file, 'utf8')] : [];
}

/** A clone that left objects where it came from: they cannot be copied without the network. */
function isPartial(objects: string): boolean {
  const packs = join(objects, 'pack');
  return existsSync(packs) && readdirSync(packs).some((name) => name.endsWith('.promisor'));
}
