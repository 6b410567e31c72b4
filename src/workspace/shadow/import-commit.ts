import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { IMPORTED_COMMIT_BYTES_MAX, MIB } from '../../domain/limits.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { readPlainBytes } from '../files/read-plain-file.ts';
import { type GitEnvironment, type GitPlace, git, gitLine, gitPipe } from '../git.ts';
import { type Basis, borrowFrom, lastImported, noteCommit, noteImported, storedTree } from './object-store.ts';
import { objectsOf, type PrivateRepository } from './private-repository.ts';

const LOOSE_FOLDERS = 256;
const LOOSE_COMMIT_BYTES_MAX = MIB;
/** From here on two pairs of processes are faster than one. */
const LOOSE_OBJECTS_MANY = 8_192;

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
  const known = storedTree(own.store, commit);
  if (known !== null && known !== 'torn') return { commit, tree: known };
  const isCopied =
    known === 'torn' ||
    (await copyLooseObjects(own, repository, commit)) ||
    (await copyObjects(own, repository, commit));
  if (!isCopied) return null;
  const tree = looseTreeOf(repository, commit) ?? (await treeOf(own, commit));
  if (tree === '') return null;
  noteCommit(own.store, { commit, tree });
  return { commit, tree };
}

/** Empty where the store does not have the commit. */
function treeOf({ place }: PrivateRepository, commit: string): Promise<string> {
  const args = ['rev-parse', '--quiet', '--verify', `${commit}^{tree}`];
  return gitLine(place, { args, exitCodes: [0, 1, 128] });
}

/** The tree of a commit that lies in a file of its own, as a new HEAD does: reading it is faster than starting git. */
function looseTreeOf(repository: Repository, commit: string): string | null {
  const file = join(objectsOf(repository), commit.slice(0, 2), commit.slice(2));
  const packed = readPlainBytes(file, LOOSE_COMMIT_BYTES_MAX);
  if (packed === null) return null;
  try {
    const bytes = inflateSync(packed, { maxOutputLength: LOOSE_COMMIT_BYTES_MAX });
    const hash = createHash(commit.length === 64 ? 'sha256' : 'sha1').update(bytes);
    if (hash.digest('hex') !== commit) return null;
    return /^commit \d+\0tree ([0-9a-f]+)\n/.exec(bytes.toString('latin1'))?.[1] ?? null;
  } catch {
    // Not an object: git tells what is wrong with it.
    return null;
  }
}

async function copyObjects(own: PrivateRepository, repository: Repository, commit: string): Promise<boolean> {
  const { store } = own;
  const theirs = objectsOf(repository);
  const last = [lastImported(store) ?? []].flat();
  const lines = [...[commit, ...last].map((one) => `--shallow ${one}`), commit, ...last.map((one) => `^${one}`), ''];
  const shallow = join(store.folder, 'shallow');
  replaceFile(shallow, `${[commit, ...last].join('\n')}\n`, { isSynced: false });
  const from = {
    // Deltas that are there are copied; looking for new ones would take most of the time.
    args: ['pack-objects', '--revs', '--thin', '--shallow', '--stdout', '-q', '--window=0'],
    input: Buffer.from(lines.join('\n')),
    env: theirsFirst(own, theirs),
  };
  // Its links are followed: an object that holds other bytes than its name says is missing under that name.
  const to = {
    args: ['index-pack', '--stdin', '--fix-thin', '--check-self-contained-and-connected'],
    env: { GIT_SHALLOW_FILE: shallow },
  };
  const ended = await gitPipe(importPlace(own), [from, to], IMPORTED_COMMIT_BYTES_MAX);
  if (ended.exitCodes[0] === 0 && (ended.exitCodes[1] === 0 || ended.exitCodes[1] === 1)) {
    noteImported(store, commit);
    return true;
  }
  if (!ended.isTooMuch && !isPartial(theirs)) return false;
  borrowFrom(store, theirs);
  return true;
}

/** Git searches the folders in this order, and nearly all objects to copy are in the first one. */
function theirsFirst({ store }: PrivateRepository, theirs: string): GitEnvironment {
  return { GIT_OBJECT_DIRECTORY: theirs, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(store.objects) };
}

/**
 * Copies a first commit whose objects are mostly loose. Git opens each of them by itself, which takes most of the time, so two
 * pairs of processes share the work. False where it did not succeed, or would not help.
 */
async function copyLooseObjects(own: PrivateRepository, repository: Repository, commit: string): Promise<boolean> {
  const theirs = objectsOf(repository);
  if (lastImported(own.store) !== null || !hasManyLoose(theirs)) return false;
  const place = importPlace(own);
  const walk = ['rev-list', '--objects', '--no-object-names', '--no-walk'];
  const env = theirsFirst(own, theirs);
  // A fault, such as objects that are missing or a pipe among them, is left to the slower copy.
  const listed = await git(place, { args: [...walk, commit], env }).catch(() => null);
  if (listed === null) return false;
  const names = listed.stdout.toString('latin1').split('\n').filter(Boolean);
  const middle = Math.ceil(names.length / 2);
  const copies = [names.slice(0, middle), names.slice(middle)].map((half) => {
    const from = { args: ['pack-objects', '--stdout', '-q', '--window=0'], input: Buffer.from(half.join('\n')), env };
    return gitPipe(place, [from, { args: ['index-pack', '--stdin'] }], IMPORTED_COMMIT_BYTES_MAX / 2);
  });
  const ends = await Promise.all(copies);
  if (ends.some(({ exitCodes }) => exitCodes.some((code) => code !== 0))) return false;
  // An object that holds other bytes than its name says is missing under that name.
  const checked = await git(place, { args: [...walk, '--quiet', commit], exitCodes: [0, 1, 128] });
  if (checked.exitCode !== 0) return false;
  noteImported(own.store, commit);
  return true;
}

/** Estimates as git does: the first byte of an object's name is as good as random. */
function hasManyLoose(objects: string): boolean {
  const sample = join(objects, '17');
  return existsSync(sample) && readdirSync(sample).length * LOOSE_FOLDERS >= LOOSE_OBJECTS_MANY;
}

/** Without a work tree: git would read the attributes in it. */
function importPlace({ folder, place }: PrivateRepository): GitPlace {
  return { ...place, workTree: folder };
}

/** A clone that left objects where it came from: they cannot be copied without the network. */
function isPartial(objects: string): boolean {
  const packs = join(objects, 'pack');
  return existsSync(packs) && readdirSync(packs).some((name) => name.endsWith('.promisor'));
}
