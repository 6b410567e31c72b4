import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MIB } from '../../domain/limits.ts';
import { isWithin } from '../../domain/work/path-text.ts';
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
  /** Files, from the root of the repository, that the copy has as they were before the work; new ones it does not have. */
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
  const leftOut = new Set(request.paths);
  return { folder, ignoredFolders: await bringIgnored(own, { root: place.root, folder, leftOut }, place.dataFolder) };
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

interface IgnoredCopies {
  readonly root: string;
  /** The scratch copy. */
  readonly folder: string;
  /** Paths that are not copied. A folder that has nothing else is not made: Node would stop its search there. */
  readonly leftOut: ReadonlySet<string>;
}

/** Copies ignored files and small folders, and returns the large ones: the sandbox shows them. */
async function bringIgnored(own: GitPlace, copies: IgnoredCopies, dataFolder: string): Promise<string[]> {
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const { stdout } = await git(own, { args });
  const entries = [...splitAtNul(stdout)].map(String).slice(0, SCRATCH_IGNORED_MAX);
  const folders: string[] = [];
  // A worktree of Baton lies in the data folder itself.
  const isWorktree = isWithin(dataFolder, copies.root);
  for (const entry of entries) {
    const path = entry.replace(/\/$/, '');
    const from = join(copies.root, path);
    const stats = lstatSync(from, { throwIfNoEntry: false });
    if (!stats || isWithin(from, dataFolder) || (isWithin(dataFolder, from) && !isWorktree)) continue;
    if (stats.isDirectory()) {
      if (!(await copyFolder(copies, path))) folders.push(...divideFolder(copies, path));
    } else copyIgnored(copies, path);
  }
  return folders;
}

function copyIgnored({ root, folder, leftOut }: IgnoredCopies, path: string): void {
  const [from, to] = [join(root, path), join(folder, path)];
  const stats = lstatSync(from);
  if (leftOut.has(path)) return;
  mkdirSync(dirname(to), { recursive: true });
  if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from, 'buffer'), to);
  else if (stats.isFile() && stats.size <= SCRATCH_FILE_BYTES_MAX) copyFileSync(from, to, constants.COPYFILE_FICLONE);
}

/** Copies a folder, so that a check may write in it; false, and nothing is copied, where it is too large. */
async function copyFolder(copies: IgnoredCopies, path: string): Promise<boolean> {
  const sliceEnd = inSlices();
  const waiting = [path];
  let [files, bytes] = [0, 0];
  for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop()) {
    await sliceEnd();
    const entries = readdirSync(join(copies.root, inner), { withFileTypes: true });
    if (entries.length === 0) mkdirSync(join(copies.folder, inner), { recursive: true });
    for (const entry of entries) {
      const each = join(inner, entry.name);
      if (entry.isDirectory()) waiting.push(each);
      else {
        files += 1;
        bytes += lstatSync(join(copies.root, each)).size;
        if (files > SCRATCH_FOLDER_FILES_MAX || bytes > SCRATCH_FOLDER_BYTES_MAX) {
          rmSync(join(copies.folder, path), { recursive: true, force: true });
          return false;
        }
        copyIgnored(copies, each);
      }
    }
  }
  return true;
}

/**
 * The folders to show of one that is too large: those in it, so that a check may write beside them. One that has a file to leave
 * out is divided itself.
 */
function divideFolder(copies: IgnoredCopies, path: string): readonly string[] {
  const entries = readdirSync(join(copies.root, path), { withFileTypes: true });
  const isDivided = (folder: string) => [...copies.leftOut].some((one) => one.startsWith(`${folder}/`));
  if (entries.length > SCRATCH_SHOWN_MAX && !isDivided(path)) return [path];
  const folders: string[] = [];
  for (const entry of entries) {
    const each = join(path, entry.name);
    if (!entry.isDirectory()) copyIgnored(copies, each);
    else if (isDivided(each)) folders.push(...divideFolder(copies, each));
    else if (!CACHES.test(entry.name)) folders.push(each);
  }
  if (folders.length > 0) mkdirSync(join(copies.folder, path), { recursive: true });
  return folders;
}
