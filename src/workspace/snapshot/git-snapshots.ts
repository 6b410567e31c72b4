import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { SnapshotStrategy } from '../../domain/order/order.ts';
import { isWithin } from '../../domain/work/path-text.ts';
import { replaceFile } from '../../platform/files/durable-files.ts';
import { type GitPlace, git, gitLine } from '../git.ts';
import { readHead } from '../read-head.ts';
import { filtersOff } from '../repository-status.ts';
import { importCommit } from '../shadow/import-commit.ts';
import { nameCommit } from '../shadow/object-store.ts';
import { openPrivateRepository, type ShadowPlace, usingStore } from '../shadow/private-repository.ts';
import { shadowRef } from '../shadow/take-shadow.ts';
import { makeSnapshotsFolder, type SnapshotHome } from './snapshot-home.ts';

const STASH = 'stash:';

/**
 * The changes of a work tree as `git stash create` makes them: a commit that is in no list. It reads a copy of the
 * index, for it writes down what it learns of files. Null where git makes none, as before the first commit.
 */
export async function createStash(home: SnapshotHome): Promise<string | null> {
  const { place } = home;
  if (!place || place.root !== place.repository.root) return null;
  return usingStore(place, `stash of ${place.root}`, () => stashIn(home, place));
}

async function stashIn(home: SnapshotHome, place: ShadowPlace): Promise<string | null> {
  const { gitDir } = place.repository;
  makeSnapshotsFolder(home);
  const index = join(home.snapshotsFolder, 'stash-index');
  try {
    if (existsSync(join(gitDir, 'index'))) copyFileSync(join(gitDir, 'index'), index);
    const theirs = { gitDir, workTree: place.root };
    const env = { ...(await filtersOff(theirs)), GIT_INDEX_FILE: index };
    const ended = await git(theirs, { args: ['stash', 'create', 'baton'], env, exitCodes: [0, 1, 128] });
    if (ended.exitCode !== 0) return null;
    const commit = ended.stdout.toString('utf8').trim() || (await readHead(place.repository));
    const own = await openPrivateRepository(place);
    // No agent can remove it from Baton's own store. If it cannot be imported, the files are copied one by one.
    if (!commit || !(await importCommit(own, place.repository, commit))) return null;
    nameCommit(own.store, { ref: shadowRef(home.task, 'stash'), commit });
    return commit;
  } finally {
    rmSync(index, { force: true });
  }
}

/** How a file is found in a stash again; null where the stash does not hold it byte for byte. */
export async function keptInStash(place: ShadowPlace, stash: string, file: string): Promise<string | null> {
  const own = await openPrivateRepository(place);
  const there = await gitLine(own.place, {
    args: ['rev-parse', '--verify', '--quiet', `${stash}:${relative(place.root, file)}`],
    exitCodes: [0, 1, 128],
  });
  if (there === '') return null;
  const now = await gitLine(own.place, { args: ['hash-object', '--no-filters', '--', file] });
  return there === now ? `${STASH}${stash}` : null;
}

/** Writes how a file differs from HEAD; false where git cannot say. */
export async function writeDiff(place: ShadowPlace, file: string, to: string): Promise<boolean> {
  const own = await openPrivateRepository(place);
  const head = await readHead(place.repository);
  if (!head || !(await importCommit(own, place.repository, head))) return false;
  if (!isWithin(place.root, file) || file === place.root) return false;
  const name = relative(place.root, file);
  return inIndexOf(own.place, { commit: head, file: `${to}.index` }, async (withIndex) => {
    const input = Buffer.from(`${name}\0`);
    const args = ['update-index', '--add', '--replace', '-z', '--stdin'];
    if ((await git(withIndex, { args, input, exitCodes: [0, 1, 128] })).exitCode !== 0) return false;
    const [mode, object] = (await gitLine(withIndex, { args: ['ls-files', '-s', '-z', '--', name] })).split(' ');
    if (mode !== '100644' && mode !== '100755') return false;
    const flags = ['--cached', '-p', '--binary', '--full-index', '--no-ext-diff', '--no-textconv', '--no-renames'];
    const { stdout } = await git(withIndex, { args: ['diff-index', ...flags, head, '--', name] });
    const header = JSON.stringify({ base: head, name, object });
    replaceFile(to, Buffer.concat([Buffer.from(`${header}\n`), stdout]));
    return true;
  });
}

/** The bytes of a file as a snapshot by git has them; null where it is neither stash nor difference. */
export async function bytesFromGit(
  place: ShadowPlace,
  file: string,
  kept: { readonly as: string; readonly own: string; readonly strategy: SnapshotStrategy },
): Promise<Buffer> {
  const own = await openPrivateRepository(place);
  if (kept.as.startsWith(STASH)) {
    const args = ['cat-file', 'blob', `${kept.as.slice(STASH.length)}:${relative(place.root, file)}`];
    return (await git(own.place, { args })).stdout;
  }
  const text = readFileSync(kept.own);
  const end = text.indexOf('\n');
  const { base, name, object } = JSON.parse(text.toString('utf8', 0, end)) as Record<string, string>;
  return inIndexOf(own.place, { commit: base ?? '', file: `${kept.own}.index` }, async (withIndex) => {
    const input = text.subarray(end + 1);
    const args = ['apply', '--cached', '--whitespace=nowarn', '-'];
    if (input.length > 0) await git(withIndex, { args, input });
    const listed = await gitLine(withIndex, { args: ['ls-files', '-s', '-z', '--', name ?? ''] });
    if (listed.split(' ')[1] !== object) throw new Error(`the difference does not lead to the file it was made from`);
    return (await git(own.place, { args: ['cat-file', 'blob', object ?? ''] })).stdout;
  });
}

async function inIndexOf<T>(
  own: GitPlace,
  index: { readonly commit: string; readonly file: string },
  work: (place: GitPlace) => Promise<T>,
): Promise<T> {
  const place = { ...own, env: { ...own.env, GIT_INDEX_FILE: index.file } };
  try {
    await git(place, { args: ['read-tree', index.commit] });
    return await work(place);
  } finally {
    rmSync(index.file, { force: true });
  }
}
