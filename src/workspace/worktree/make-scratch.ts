import { copyFileSync, cpSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MIB } from '../../domain/limits.ts';
import { isWithin } from '../../domain/path-text.ts';
import { changedInTrees } from '../diff-shadows.ts';
import { type GitPlace, git, splitAtNul } from '../git.ts';
import { readHead } from '../read-head.ts';
import { openPrivateRepository, type ShadowPlace } from '../shadow/private-repository.ts';
import { makeGitFolder } from './make-worktree.ts';
import { removeWorktree } from './remove-worktree.ts';

/** Ignored files that a scratch copy gets: how many entries, and how large a file. */
const SCRATCH_IGNORED_MAX = 500;
const SCRATCH_FILE_BYTES_MAX = 16 * MIB;

export interface ScratchFiles {
  /** The folder to create, outside of the repository's files. */
  readonly folder: string;
  /** Shadow commits before and after the work. */
  readonly before: string;
  readonly after: string;
  /** Files, from the root of the repository, that the scratch copy has as they were before the work. */
  readonly paths: readonly string[];
}

export interface Scratch {
  readonly folder: string;
  /** Ignored folders of the workspace, such as node_modules, which are not copied. */
  readonly ignoredFolders: readonly string[];
}

/** Checks out the files after the work, but some of them as they were before it. Small ignored files are copied too. */
export async function makeScratch(place: ShadowPlace, request: ScratchFiles): Promise<Scratch> {
  const { folder, before, after } = request;
  removeWorktree(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  await makeGitFolder(place.repository, folder, place.head ?? (await readHead(place.repository)));
  const { place: own } = await openPrivateRepository(place);
  const scratch: GitPlace = {
    ...own,
    workTree: folder,
    env: { ...own.env, GIT_INDEX_FILE: join(folder, '.git', 'index') },
  };
  await git(scratch, { args: ['read-tree', after] });
  await putBack(scratch, { before, after, paths: new Set(request.paths) });
  await git(scratch, { args: ['checkout-index', '--all', '--force', '--quiet'] });
  return { folder, ignoredFolders: await bringIgnored(own, place, folder) };
}

interface PutBack extends Pick<ScratchFiles, 'before' | 'after'> {
  readonly paths: ReadonlySet<string>;
}

/** Sets entries of the index to their version before the work; a file that was not there then leaves the index. */
async function putBack(scratch: GitPlace, { before, after, paths }: PutBack): Promise<void> {
  const changes = (await changedInTrees(scratch, { before, after })).filter(({ path }) => paths.has(path));
  const lines = changes.flatMap(({ name, before: version, after: now }) => {
    const { mode, object } = version ?? { mode: '0', object: (now?.object ?? '').replace(/./g, '0') };
    return [Buffer.from(`${mode} ${object}\t`), name, Buffer.from([0])];
  });
  await git(scratch, { args: ['update-index', '-z', '--index-info'], input: Buffer.concat(lines) });
}

/** Copies ignored files, and returns the ignored folders: the sandbox shows them, because they may be large. */
async function bringIgnored(own: GitPlace, { root, dataFolder }: ShadowPlace, folder: string): Promise<string[]> {
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const { stdout } = await git(own, { args });
  const entries = [...splitAtNul(stdout)].map(String).slice(0, SCRATCH_IGNORED_MAX);
  const folders: string[] = [];
  for (const entry of entries) {
    const path = entry.replace(/\/$/, '');
    const from = join(root, path);
    const stats = lstatSync(from, { throwIfNoEntry: false });
    if (!stats || isWithin(from, dataFolder) || isWithin(dataFolder, from)) continue;
    if (stats.isDirectory()) folders.push(path);
    else copyIgnored(from, join(folder, path));
  }
  return folders;
}

function copyIgnored(from: string, to: string): void {
  const stats = lstatSync(from);
  mkdirSync(dirname(to), { recursive: true });
  if (stats.isSymbolicLink()) cpSync(from, to, { verbatimSymlinks: true });
  else if (stats.isFile() && stats.size <= SCRATCH_FILE_BYTES_MAX) copyFileSync(from, to);
}
