import { constants, copyFileSync, cpSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MIB } from '../../domain/limits.ts';
import { isWithin } from '../../domain/path-text.ts';
import { inSlices } from '../../platform/timer.ts';
import { changedInTrees } from '../diff-shadows.ts';
import { type GitPlace, git, splitAtNul } from '../git.ts';
import { readHead } from '../read-head.ts';
import { openPrivateRepository, type ShadowPlace } from '../shadow/private-repository.ts';
import { makeGitFolder } from './make-worktree.ts';
import { removeWorktree } from './remove-worktree.ts';

/** Ignored files that a scratch copy gets: how many entries, and how large a file. */
const SCRATCH_IGNORED_MAX = 500;
const SCRATCH_FILE_BYTES_MAX = 16 * MIB;
/** An ignored folder with more is not copied: its folders are shown for reading only. */
const SCRATCH_FOLDER_FILES_MAX = 2_000;
const SCRATCH_FOLDER_BYTES_MAX = 128 * MIB;
/** A folder with more entries is shown as a whole, and nothing can be made in it. */
const SCRATCH_SHOWN_MAX = 400;
/** Programs write to these while they check, such as `node_modules/.cache`: the copy has them empty. */
const CACHES = /^\.(cache|vite|vite-temp|vitest|tmp)$/;

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
  /** Ignored folders of the workspace, such as those in node_modules, which are too large to be copied. */
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

/** Copies ignored files and small folders, and returns the large ones: the sandbox shows them. */
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
    if (stats.isDirectory()) {
      if (!(await copyFolder(from, join(folder, path)))) folders.push(...divideFolder({ root, folder, path }));
    } else copyIgnored(from, join(folder, path));
  }
  return folders;
}

function copyIgnored(from: string, to: string): void {
  const stats = lstatSync(from);
  mkdirSync(dirname(to), { recursive: true });
  if (stats.isSymbolicLink()) cpSync(from, to, { verbatimSymlinks: true });
  else if (stats.isFile() && stats.size <= SCRATCH_FILE_BYTES_MAX) copyFileSync(from, to, constants.COPYFILE_FICLONE);
}

/** Copies a folder, so that a check may write in it; false, and nothing is copied, where it is too large. */
async function copyFolder(from: string, to: string): Promise<boolean> {
  const sliceEnd = inSlices();
  const waiting = [''];
  let [files, bytes] = [0, 0];
  for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop()) {
    await sliceEnd();
    mkdirSync(join(to, inner), { recursive: true });
    for (const entry of readdirSync(join(from, inner), { withFileTypes: true })) {
      const path = join(inner, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else {
        files += 1;
        bytes += lstatSync(join(from, path)).size;
        if (files > SCRATCH_FOLDER_FILES_MAX || bytes > SCRATCH_FOLDER_BYTES_MAX) {
          rmSync(to, { recursive: true, force: true });
          return false;
        }
        copyIgnored(join(from, path), join(to, path));
      }
    }
  }
  return true;
}

interface LargeFolder {
  readonly root: string;
  readonly folder: string;
  readonly path: string;
}

/** The folders to show of one that is too large: those in it, so that a check may write beside them. */
function divideFolder({ root, folder, path }: LargeFolder): readonly string[] {
  const entries = readdirSync(join(root, path), { withFileTypes: true });
  if (entries.length > SCRATCH_SHOWN_MAX) return [path];
  mkdirSync(join(folder, path), { recursive: true });
  for (const { name } of entries.filter((entry) => !entry.isDirectory())) {
    copyIgnored(join(root, path, name), join(folder, path, name));
  }
  return entries.filter((entry) => entry.isDirectory() && !CACHES.test(entry.name)).map(({ name }) => join(path, name));
}
