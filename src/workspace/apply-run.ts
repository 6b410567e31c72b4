import { type Refusal, refuse } from '../domain/refusal.ts';
import type { Repository } from '../domain/repository.ts';
import { changedInTrees, type FileChange } from './diff-shadows.ts';
import { isFile, occupiedPaths, putFiles } from './files/put-files.ts';
import { makeStaging, stageFiles, versionsAfter } from './files/staging.ts';
import { type GitPlace, git, gitLine } from './git.ts';
import { giveCommit, hasWhole } from './give-commit.ts';
import { lineEndPlace, mergeTrees } from './merge-trees.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { inIntake } from './shadow/intake.ts';
import { openPrivateRepository, type PrivateRepository, type ShadowPlace } from './shadow/private-repository.ts';
import { takeShadow } from './shadow/take-shadow.ts';

export interface ApplyOrder {
  readonly task: string;
  /** The present state is recorded under this label if anything changes, so that applying can be undone. */
  readonly label: string;
  /** The commits of the run. */
  readonly before: string;
  readonly after: string;
  readonly atMs: number;
}

export interface Applied {
  readonly kind: 'applied';
  /** Files that were written, uncommitted. */
  readonly files: readonly FileChange[];
}

/** Merges the work of a run into the user's files: all of it, or nothing on a conflict. */
export function applyRun(place: ShadowPlace, order: ApplyOrder): Promise<Applied | Refusal> {
  return oneAtATime(`files of ${place.root}`, () => applyInTurn(place, order));
}

async function applyInTurn(place: ShadowPlace, order: ApplyOrder): Promise<Applied | Refusal> {
  const { task, label, before, after, atMs } = order;
  const present = await takeShadow(place, { task, label: `${label}-look`, atMs });
  const own = await openPrivateRepository(place);
  const merged = await mergeTrees(own.place, { base: before, ours: present.commit, theirs: after });
  if (merged.kind === 'conflict') return conflict(merged.paths);
  const files = (await changedInTrees(own.place, { before: present.tree, after: merged.tree })).filter(isFile);
  // Applied already: the state recorded at that time must stay the one that undo restores.
  if (files.length === 0) return { kind: 'applied', files };
  const occupied = occupiedPaths(place.root, files);
  if (occupied.length > 0) return conflict(occupied);
  const staging = makeStaging(own, place);
  try {
    await stageFiles(own, staging, versionsAfter(files));
    const again = await takeShadow(place, { task, label, atMs });
    if (again.tree !== present.tree) {
      return refuse('changed_since', 'files were changed while the work was being applied');
    }
    putFiles(place.root, files, staging);
    return { kind: 'applied', files };
  } finally {
    staging.remove();
  }
}

export interface BranchOrder {
  /** Such as `fix/money`; one that is there already is refused. */
  readonly branch: string;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string } | null;
  readonly before: string;
  readonly after: string;
  /** HEAD when the run began: what the commit stands on. */
  readonly head: string | null;
  readonly atMs: number;
}

export interface Branched {
  readonly kind: 'branched';
  readonly branch: string;
  readonly commit: string;
}

/** The work of a run as one commit on a new branch; the checkout is not touched. */
export async function branchRun(place: ShadowPlace, order: BranchOrder): Promise<Branched | Refusal> {
  const theirs = { gitDir: place.repository.gitDir, workTree: place.repository.root };
  const ref = `refs/heads/${order.branch}`;
  const named = await git(theirs, { args: ['check-ref-format', '--branch', order.branch], exitCodes: [0, 1, 128] });
  if (named.exitCode !== 0 || order.branch.startsWith('-') || named.stdout.toString().trim() !== order.branch) {
    const hint = `--branch ${branchLike(order.branch)}, for example`;
    return { ...refuse('invalid_argument', `${JSON.stringify(order.branch)} is no name for a branch`), hint };
  }
  const there = await gitLine(theirs, { args: ['for-each-ref', '--count=1', '--', ref], exitCodes: [0, 1] });
  if (there !== '') return refuse('branch_exists', `the branch ${order.branch} exists already`);
  const own = await openPrivateRepository(place);
  if (order.head !== null && !(await hasWhole(place.repository, order.head))) return startIsGone(order.head);
  const made = await oneAtATime(`index of ${place.root}`, () =>
    inIntake(own, (into) => commitWork(into, place.repository, order)),
  );
  if (typeof made !== 'string') return made;
  if (!(await giveCommit(own, place.repository, { commit: made, parent: order.head }))) {
    return refuse('E_PERMISSION_DENIED', `the branch ${order.branch} could not be written to the repository`);
  }
  // Made only if nobody made it since: an empty old value says so.
  const kept = await git(theirs, { args: ['update-ref', ref, made, ''], exitCodes: [0, 1, 128] });
  if (kept.exitCode !== 0) return refuse('branch_exists', `the branch ${order.branch} could not be made`);
  return { kind: 'branched', branch: order.branch, commit: made };
}

function startIsGone(head: string): Refusal {
  const message = `the commit ${head.slice(0, 12)} that the work started from is no longer in the repository`;
  return {
    ...refuse('invalid_argument', message),
    hint: 'baton apply TASK without --branch merges it into your files',
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
  order: BranchOrder,
): Promise<string | Refusal> {
  const { before, after, head } = order;
  const trees = head && { base: before, ours: head, theirs: after };
  const merged = trees ? await mergeTrees(await lineEndPlace(own, repository), trees) : null;
  if (merged?.kind === 'conflict') return conflict(merged.paths);
  return commitOn(own.place, order, merged?.tree ?? `${after}^{tree}`);
}

async function commitOn(own: GitPlace, order: BranchOrder, tree: string): Promise<string> {
  const at = `@${Math.floor(order.atMs / 1000)} +0000`;
  const { name, email } = order.author ?? { name: 'Baton', email: 'baton@localhost' };
  const who = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
  const env = { ...who, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
  const parents = order.head ? ['-p', order.head] : [];
  return gitLine(own, { args: ['commit-tree', tree, ...parents, '-F', '-'], env, input: Buffer.from(order.message) });
}

function conflict(paths: readonly string[]): Refusal {
  const message = `${paths.length === 1 ? 'a file conflicts' : `${paths.length} files conflict`} with what you have`;
  return { ...refuse('merge_conflict', message), details: paths };
}
