import { constants, mkdirSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { GitIdentity } from '../../domain/work/git-identity.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { holdFolderOf } from '../../platform/files/held-folder.ts';
import { type GitPlace, git, gitLine } from '../git.ts';
import {
  openPrivateRepository,
  type PrivateRepository,
  type ShadowPlace,
  usingStore,
} from '../shadow/private-repository.ts';
import { inStagingArea, objectFiles } from '../shadow/staging-area.ts';
import { userIdentity } from '../user-identity.ts';
import { conflict } from './apply-run.ts';
import { lineEndPlace, mergeTrees } from './merge-trees.ts';

export interface BranchWork {
  readonly task: string;
  /** Such as `fix/money`; one that is there already is refused. */
  readonly branch: string;
  /** Ends with the trailers; another one follows. */
  readonly message: string;
  /** The last of the agent's own commits: the branch keeps them. Null makes one commit of the work. */
  readonly tip: string | null;
  readonly before: string;
  readonly after: string;
  /** HEAD when the run began: what the commit stands on. */
  readonly head: string | null;
  readonly atMs: number;
}

export interface BranchResult {
  readonly kind: 'branched';
  readonly branch: string;
  readonly commit: string;
}

/**
 * The work of a run on a new branch: as one commit by the user, or as the agent's own commits and one by the user with the
 * rest. The checkout is not touched.
 */
export async function branchRun(place: ShadowPlace, request: BranchWork): Promise<BranchResult | Refusal> {
  const theirs = { gitDir: place.repository.gitDir, workTree: place.repository.root };
  const ref = `refs/heads/${request.branch}`;
  const named = await git(theirs, { args: ['check-ref-format', '--branch', request.branch], exitCodes: [0, 1, 128] });
  if (named.exitCode !== 0 || request.branch.startsWith('-') || named.stdout.toString().trim() !== request.branch) {
    const hint = `--branch ${branchLike(request.branch)}, for example`;
    return { ...refuse('invalid_argument', `${JSON.stringify(request.branch)} is not a valid branch name`), hint };
  }
  const there = await gitLine(theirs, { args: ['for-each-ref', '--count=1', '--', ref], exitCodes: [0, 1] });
  if (there !== '') return refuse('branch_exists', `the branch ${request.branch} exists already`);
  const own = await openPrivateRepository(place);
  if (request.head !== null && !(await hasWhole(place.repository, request.head)))
    return startIsGone(request, request.head);
  const made = await usingStore(place, `index of ${place.root}`, async () => {
    const commit = await inStagingArea(own, (into) => commitWork(into, place.repository, request));
    if (typeof commit !== 'string') return commit;
    if (await giveCommit(own, place.repository, { commit, parent: request.head })) return commit;
    return refuse('permission-denied', `the branch ${request.branch} could not be written to the repository`);
  });
  if (typeof made !== 'string') return made;
  // Made only if nobody made it since: an empty old value says so.
  const kept = await git(theirs, { args: ['update-ref', ref, made, ''], exitCodes: [0, 1, 128] });
  if (kept.exitCode !== 0) return refuse('branch_exists', `the branch ${request.branch} could not be made`);
  return { kind: 'branched', branch: request.branch, commit: made };
}

function startIsGone({ task }: BranchWork, head: string): Refusal {
  const message = `the commit ${head.slice(0, 12)} that the work started from is no longer in the repository`;
  return {
    ...refuse('invalid_argument', message),
    hint: `baton apply ${task} without --branch merges it into your files`,
  };
}

/** A valid branch name close to the typed one. */
function branchLike(typed: string): string {
  const words = typed.split(/[^A-Za-z0-9_]+/).filter((word) => word !== '');
  return words.length === 0 ? 'from-baton' : words.join('-');
}

async function commitWork(
  own: PrivateRepository,
  repository: Repository,
  request: BranchWork,
): Promise<string | Refusal> {
  const { task, before, after, head, tip } = request;
  const trees = head && { base: before, ours: head, theirs: after };
  const merged = trees ? await mergeTrees(await lineEndPlace(own, repository), trees) : null;
  if (merged?.kind === 'conflict') return conflict(task, merged.paths);
  const tree = merged?.tree ?? (await treeOf(own.place, after));
  if (tip !== null && (await treeOf(own.place, tip)) === tree) return tip;
  const identity = await userIdentity(repository);
  return commitOn(own.place, request, { tree, identity });
}

function treeOf(own: GitPlace, commit: string): Promise<string> {
  return gitLine(own, { args: ['rev-parse', '--verify', `${commit}^{tree}`] });
}

const BATON: GitIdentity = { name: 'Baton', email: 'baton@localhost' };
const CO_AUTHOR = `Co-authored-by: ${BATON.name} <${BATON.email}>\n`;

interface Content {
  readonly tree: string;
  readonly identity: GitIdentity | null;
}

async function commitOn(own: GitPlace, request: BranchWork, { tree, identity }: Content): Promise<string> {
  const at = `@${Math.floor(request.atMs / 1000)} +0000`;
  const { name, email } = identity ?? BATON;
  const who = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
  const env = { ...who, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
  const parent = request.tip ?? request.head;
  const parents = parent ? ['-p', parent] : [];
  const input = Buffer.from(identity ? `${request.message}${CO_AUTHOR}` : request.message);
  return gitLine(own, { args: ['commit-tree', tree, ...parents, '-F', '-'], env, input });
}

interface GivenCommit {
  readonly commit: string;
  /** A commit that the repository has with all its files; null for none. */
  readonly parent: string | null;
}

/** Whether the repository still has a commit, with its history and files: git removes one that no ref leads to. */
async function hasWhole({ gitDir, root }: Repository, commit: string): Promise<boolean> {
  const args = ['rev-list', '--objects', '--quiet', commit, '--not', '--all'];
  return (await git({ gitDir, workTree: root }, { args, exitCodes: [0, 1, 128] })).exitCode === 0;
}

/**
 * Copies a commit of Baton's store into the user's repository, with the objects that its parent does not have. Follows no
 * link; false where the repository cannot be written to.
 */
async function giveCommit(
  own: PrivateRepository,
  { commonDir }: Repository,
  { commit, parent }: GivenCommit,
): Promise<boolean> {
  const packed = join(own.folder, 'given');
  rmSync(packed, { recursive: true, force: true });
  mkdirSync(join(packed, 'pack'), { recursive: true, mode: 0o700 });
  try {
    const known = parent === null ? [] : [`--shallow ${parent}`, `^${parent}`];
    const input = Buffer.from([...known, commit, ''].join('\n'));
    const args = ['pack-objects', '--revs', '--shallow', '-q', '--window=0', join(packed, 'pack', 'pack')];
    await git({ ...own.place, workTree: own.folder }, { args, input });
    return await copyObjects(packed, join(commonDir, 'objects'));
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}

async function copyObjects(from: string, to: string): Promise<boolean> {
  for (const name of objectFiles(from)) {
    const held = holdFolderOf(to, Buffer.from(name), { isMade: true });
    if (!held) return false;
    const { folder, last } = held;
    try {
      const draft = folder.at(Buffer.from(`tmp_obj_baton_${last}`));
      await copyFile(join(from, name), draft, constants.COPYFILE_FICLONE);
      renameSync(draft, folder.at(last));
    } catch (error) {
      // The file system refused: the caller tells that the repository cannot be written to.
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      return false;
    } finally {
      folder.close();
    }
  }
  return true;
}
