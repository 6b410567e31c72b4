import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { GIT_TEXT_BYTES_MAX, MIB } from '../../domain/limits.ts';
import { type GitState, OPERATION_FOLDERS } from '../../domain/work/git-state.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { readPlainBytes, readPlainFile } from '../files/read-plain-file.ts';
import { git } from '../git.ts';
import { locksBesideHead } from './lock-files.ts';

/** Fetching moves remote branches, also behind the back of a run; Baton moves its own refs. */
const NOT_COMPARED = ['refs/baton/', 'refs/remotes/', 'refs/prefetch/'];
const OPERATION_FILES = [
  ...['MERGE_HEAD', 'MERGE_MODE', 'MERGE_MSG', 'SQUASH_MSG', 'AUTO_MERGE'],
  ...['CHERRY_PICK_HEAD', 'REVERT_HEAD', 'REBASE_HEAD'],
  ...['BISECT_START', 'BISECT_LOG', 'BISECT_TERMS', 'BISECT_NAMES', 'BISECT_EXPECTED_REV', 'BISECT_ANCESTORS_OK'],
];
/** Any bytes survive in it: a patch has the encoding of its files. */
export const OPERATION_ENCODING = 'latin1';
const OPERATION_FOLDER_FILES_MAX = 2_000;
const OPERATION_BYTES_MAX = MIB;
/** Refs in files of their own, and folders of them: a repository that an agent filled is not compared beyond. */
const LOOSE_REFS_MAX = 50_000;
const VALUE = /^([0-9a-f]{40}|[0-9a-f]{64}|ref: refs\/\S+)$/;

/** A state with the bytes of its index. */
export interface ReadState {
  readonly state: GitState;
  readonly index: Buffer | null;
}

/**
 * Reads where branches, HEAD, stash and index are; null where the repository is broken. Read without git, which would wait on
 * a pipe that an agent put at one of these paths; only refs in another format are read by git.
 */
export async function readGitState(repository: Repository): Promise<ReadState | null> {
  const { gitDir, commonDir } = repository;
  if (!isFolder(gitDir) || !isFolder(commonDir)) return null;
  const head = readPlainFile(join(gitDir, 'HEAD'), GIT_TEXT_BYTES_MAX)?.trim() ?? '';
  const isTable = existsSync(join(commonDir, 'reftable'));
  if (!VALUE.test(head) || !(isTable || isFolder(join(commonDir, 'refs')))) return null;
  const found = isTable ? { refs: await refsByGit(repository), locks: [] } : refsInFiles(commonDir);
  if (found === null) return null;
  const index = readPlainBytes(join(gitDir, 'index'), GIT_TEXT_BYTES_MAX);
  const stashLog = readPlainFile(join(commonDir, 'logs', 'refs', 'stash'), GIT_TEXT_BYTES_MAX) ?? '';
  const operation = operationIn(gitDir);
  const locks = [...locksBesideHead(repository).map((path) => relative(commonDir, path)), ...found.locks].sort();
  return { state: { head, refs: found.refs, stashLog, operation, index: index && hashOf(index), locks }, index };
}

export function hashOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}

/** A link in the place of a git folder would lead Baton elsewhere. */
function isFolder(path: string): boolean {
  return (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false) && realpathSync(path) === path;
}

function operationIn(gitDir: string): GitState['operation'] {
  const found = OPERATION_FILES.map((name) => [name, readPlainFile(join(gitDir, name), OPERATION_BYTES_MAX)] as const);
  const inFolders = OPERATION_FOLDERS.flatMap((folder) => filesOfOperation(gitDir, folder));
  return Object.fromEntries([...found.filter((entry): entry is [string, string] => entry[1] !== null), ...inFolders]);
}

/** The files of a rebase or of several picks; none where the folder is not as git makes it. */
function filesOfOperation(gitDir: string, folder: string): readonly (readonly [string, string])[] {
  const entries = isFolder(join(gitDir, folder)) ? readFolder(join(gitDir, folder)) : [];
  if (entries.length > OPERATION_FOLDER_FILES_MAX) return [];
  const files: [string, string][] = [];
  let bytes = 0;
  for (const { name } of entries) {
    const content = readPlainBytes(join(gitDir, folder, name), OPERATION_BYTES_MAX);
    bytes += content?.length ?? 0;
    if (content === null || bytes > OPERATION_BYTES_MAX) return [];
    files.push([`${folder}/${name}`, content.toString(OPERATION_ENCODING)]);
  }
  return files;
}

function isCompared(ref: string): boolean {
  return !NOT_COMPARED.some((prefix) => ref.startsWith(prefix));
}

/** The refs, and the locks beside them; null where there are too many. */
function refsInFiles(commonDir: string): { readonly refs: GitState['refs']; readonly locks: readonly string[] } | null {
  const found = new Map<string, string>();
  const locks: string[] = [];
  const packed = readPlainFile(join(commonDir, 'packed-refs'), GIT_TEXT_BYTES_MAX) ?? '';
  for (const line of packed.split('\n')) {
    const [value = '', ref = ''] = line.split(' ');
    if (ref.startsWith('refs/') && VALUE.test(value) && isCompared(ref)) found.set(ref, value);
  }
  const waiting = ['refs'];
  for (let seen = 0; waiting.length > 0; seen += 1) {
    if (seen > LOOSE_REFS_MAX) return null;
    const folder = waiting.pop() ?? '';
    for (const entry of readFolder(join(commonDir, folder))) {
      const ref = `${folder}/${entry.name}`;
      if (!isCompared(`${ref}/`)) continue;
      if (entry.isDirectory()) waiting.push(ref);
      else if (ref.endsWith('.lock')) locks.push(ref);
      else if (entry.isFile()) {
        const value = readPlainFile(join(commonDir, ref), GIT_TEXT_BYTES_MAX)?.trim() ?? '';
        if (VALUE.test(value)) found.set(ref, value);
      }
    }
  }
  return { refs: Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1))), locks };
}

function readFolder(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    // Gone meanwhile, or closed to this user.
    return [];
  }
}

async function refsByGit({ gitDir, root }: Repository): Promise<GitState['refs']> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)'];
  const { stdout } = await git({ gitDir, workTree: root }, { args });
  const lines = stdout.toString('utf8').split('\n').filter(Boolean);
  const pairs = lines.map((line) => line.split(' ') as [string, string]).filter(([, ref]) => isCompared(ref));
  return Object.fromEntries(pairs.map(([value, ref]) => [ref, value]));
}
