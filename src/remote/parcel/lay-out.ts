import { chmodSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GIT_PARCEL_MS_MAX } from '../../domain/limits.ts';
import { identityLines } from '../../domain/work/git-identity.ts';
import { holdFolderOf, inFolderOf } from '../../platform/files/held-folder.ts';
import { type GitPlace, git } from '../../workspace/git.ts';
import { NO_BRANCH } from '../../workspace/shadow/private-repository.ts';
import type { CommitFile } from './walk-trees.ts';
import type { WorkMeta } from './work-meta.ts';

export interface FilesToLay {
  /** The folder to fill. */
  readonly folder: string;
  /** The commit with the files. */
  readonly state: string;
  /** Further files, at paths that the commit does not have. */
  readonly more: readonly CommitFile[];
}

const NUL = Buffer.from([0]);
/** Git refuses to write what would be its own folder on another system. */
const CAREFUL = ['core.protectHFS=true', 'core.protectNTFS=true', 'core.symlinks=true', 'core.fileMode=true'];

/**
 * Writes the files of a commit into a folder, byte for byte. `place` converts nothing and knows no command: no hook, filter or
 * attribute of the files counts. Git writes no file through a link.
 */
export async function layOutFiles(place: GitPlace, { folder, state, more }: FilesToLay): Promise<void> {
  const at = laying(place, folder);
  rmSync(indexOf(folder), { force: true });
  await git(at, { args: ['read-tree', state], settings: CAREFUL });
  if (more.length > 0) {
    const lines = more.flatMap(({ mode, object, name }) => [Buffer.from(`${mode} ${object}\t`), name, NUL]);
    const args = ['update-index', '-z', '--index-info'];
    await git(at, { args, settings: CAREFUL, input: Buffer.concat(lines) });
  }
  const args = ['checkout-index', '--all', '--force', '--quiet', '--index'];
  await git(at, { args, settings: CAREFUL, timeoutMs: GIT_PARCEL_MS_MAX });
}

/** Brings laid out files from one commit to another. */
export async function changeFiles(
  place: GitPlace,
  folder: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  if (from !== to) await git(laying(place, folder), { args: ['read-tree', '-m', '-u', from, to], settings: CAREFUL });
}

/** Nothing is laid out or changed any more. */
export function endLaying(folder: string): void {
  rmSync(indexOf(folder), { force: true });
}

function laying(place: GitPlace, folder: string): GitPlace {
  return { ...place, workTree: folder, env: { ...place.env, GIT_INDEX_FILE: indexOf(folder) } };
}

/** Beside the folder: in it, it would be one of its files. */
function indexOf(folder: string): string {
  return `${folder}.index`;
}

const RIGHTS = 0o777;
const OWNER_READS = 0o400;

/** Gives files their permissions and makes empty folders; a link on the way is not followed. */
export function layOutRest(folder: string, { modes, emptyFolders }: Pick<WorkMeta, 'modes' | 'emptyFolders'>): void {
  for (const [text, mode] of Object.entries(modes)) {
    inFolderOf(folder, Buffer.from(text, 'latin1'), {
      isMade: false,
      do: (held, last) => {
        const file = held.at(last);
        if (lstatSync(file, { throwIfNoEntry: false })?.isFile()) chmodSync(file, (mode & RIGHTS) | OWNER_READS);
      },
    });
  }
  for (const text of emptyFolders) {
    // With a name behind the last slash, every folder of the path is made.
    holdFolderOf(folder, Buffer.from(`${text}x`, 'latin1'), { isMade: true })?.folder.close();
  }
}

export interface GitFolder {
  /** The folder with the files. */
  readonly folder: string;
  readonly head: string | null;
  readonly objectFormat: 'sha1' | 'sha256';
  readonly lineEnds: WorkMeta['lineEnds'];
  readonly identity: WorkMeta['identity'];
  readonly exclude: string;
}

/**
 * Makes the git folder of unpacked work: a repository of its own, at a commit without history, with the objects of that commit
 * copied, so that an agent in a sandbox needs nothing else. It has no remote, no hook, and no setting that names a command.
 */
export async function makeUnpackedGitFolder(place: GitPlace, request: GitFolder): Promise<void> {
  const { folder, head } = request;
  const gitDir = join(folder, '.git');
  for (const name of ['refs/heads', 'refs/tags', 'info', 'objects/info', 'objects/pack', 'hooks']) {
    mkdirSync(join(gitDir, name), { recursive: true, mode: 0o700 });
  }
  writeFileSync(join(gitDir, 'HEAD'), head === null ? NO_BRANCH : `${head}\n`);
  writeFileSync(join(gitDir, 'config'), configText(request));
  writeFileSync(join(gitDir, 'info', 'exclude'), request.exclude);
  if (head === null) return;
  writeFileSync(join(gitDir, 'shallow'), `${head}\n`);
  await copyCommit(place, join(gitDir, 'objects', 'pack', 'pack'), head);
  const own = { gitDir, workTree: folder };
  await git(own, { args: ['read-tree', head], settings: CAREFUL });
  // Git then need not read every file for its first status; 1 says that some differ.
  await git(own, { args: ['update-index', '-q', '--refresh'], exitCodes: [0, 1] });
}

function configText({ objectFormat, lineEnds, identity }: GitFolder): string {
  const isLong = objectFormat === 'sha256';
  const lines = ['[core]', `\trepositoryformatversion = ${isLong ? 1 : 0}`, '\tbare = false'];
  for (const [name, value] of Object.entries(lineEnds)) lines.push(`\t${name} = ${value}`);
  if (isLong) lines.push('[extensions]', '\tobjectFormat = sha256');
  return `${[...lines, ...identityLines(identity ?? {})].join('\n')}\n`;
}

/** Copies a commit with its files, and without its history, into a pack. */
async function copyCommit(place: GitPlace, pack: string, commit: string): Promise<void> {
  const args = ['rev-list', '--objects', '--no-object-names', '--no-walk', commit];
  const { stdout: input } = await git(place, { args });
  const call = { args: ['pack-objects', '-q', '--window=0', pack], input, timeoutMs: GIT_PARCEL_MS_MAX };
  await git({ ...place, workTree: place.gitDir }, call);
}
