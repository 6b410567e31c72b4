import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { OPERATION_FOLDERS, refName } from '../../domain/work/git-state.ts';
import { type GitUndo, planGitUndo, type RefMove } from '../../domain/work/plan-git-undo.ts';
import { type GitPlace, git } from '../git.ts';
import type { StatePlace } from './find-git-changes.ts';
import { OPERATION_ENCODING, readGitState } from './read-git-state.ts';
import { savedState } from './saved-states.ts';
import { type IndexPlan, performIndexUndo, planIndexUndo } from './undo-index.ts';
import { writeGitFile } from './write-git-file.ts';

export interface GitUndoRequest {
  /** Saved states from before and after the work. */
  readonly before: string;
  readonly after: string;
  /** Written to the logs of refs. */
  readonly reason: string;
}

/** A commit that a ref was at before the undo. */
export interface KeptCommit {
  readonly name: string;
  readonly commit: string;
  /** The nested repository that has it, from the root of the workspace. */
  readonly nested?: string;
}

export interface GitUndone {
  /** The names of everything that was put back. */
  readonly restored: readonly string[];
  readonly kept: readonly KeptCommit[];
}

export interface PreparedGitUndo {
  /** Changed by a person since: an undo leaves it. */
  readonly movedSince: readonly string[];
  /** Names of refs that cannot be put back, with the reason. */
  readonly lost: readonly string[];
  perform(): Promise<GitUndone>;
}

const STASH_LOG = 'logs/refs/stash';
export const NO_GIT_UNDO: PreparedGitUndo = {
  movedSince: [],
  lost: [],
  perform: async () => ({ restored: [], kept: [] }),
};

/** Prepares to take back what the work did to branches, HEAD, stash and index. Changes nothing yet. */
export async function prepareGitUndo(place: StatePlace, request: GitUndoRequest): Promise<PreparedGitUndo | Refusal> {
  const { repository, dataFolder } = place;
  if (request.before === request.after) return NO_GIT_UNDO;
  const [before, after] = [request.before, request.after].map((name) => savedState(dataFolder, name));
  if (!before || !after)
    return { ...NO_GIT_UNDO, lost: ['branches, HEAD, index and stash: their saved state is gone'] };
  const present = (await readGitState(repository))?.state;
  if (!present)
    return { ...NO_GIT_UNDO, lost: [`branches, HEAD, index and stash: ${repository.gitDir} cannot be read`] };
  const states = { before, after, present };
  const index = await planIndexUndo(place, states);
  if (isRefusal(index)) return index;
  const planned = planGitUndo(states);
  const { isThere, lost } = await withObjects(place, planned.moves);
  const undo = { ...planned, moves: planned.moves.filter(({ to }) => isThere(to)) };
  return {
    movedSince: [...planned.movedSince.map(refName), ...index.changedSince],
    lost,
    perform: () => performUndo(place, { undo, index, request }),
  };
}

/** The moves whose commit the repository still has. */
async function withObjects({ repository }: StatePlace, moves: readonly RefMove[]) {
  const commits = moves.flatMap(({ to }) => (to === null || to.startsWith('ref: ') ? [] : [to]));
  const input = Buffer.from(commits.map((commit) => `${commit}\n`).join(''));
  const place = { gitDir: repository.gitDir, workTree: repository.gitDir };
  const args = ['cat-file', '--batch-check=%(objectname)'];
  const said = commits.length === 0 ? '' : (await git(place, { args, input })).stdout.toString('latin1');
  const missing = new Set(said.split('\n').flatMap((line) => /^(\w+) missing$/.exec(line)?.[1] ?? []));
  const isThere = (to: string | null) => to === null || !missing.has(to);
  const gone = moves.filter(({ to }) => !isThere(to));
  return { isThere, lost: gone.map(({ ref, to }) => `${refName(ref)}: the commit ${to} is gone`) };
}

interface Performing {
  readonly undo: GitUndo;
  readonly index: IndexPlan;
  readonly request: GitUndoRequest;
}

async function performUndo(place: StatePlace, { undo, index, request }: Performing): Promise<GitUndone> {
  const { repository } = place;
  const theirs: GitPlace = { gitDir: repository.gitDir, workTree: repository.gitDir };
  // A branch cannot be made while one of the same name with a slash after it is there.
  await moveRefs(
    theirs,
    undo.moves.filter(({ to }) => to === null),
    request.reason,
  );
  await moveRefs(
    theirs,
    undo.moves.filter(({ to }) => to !== null),
    request.reason,
  );
  if (undo.stashLog) writeGitFile(repository.commonDir, STASH_LOG, undo.stashLog);
  for (const [name, text] of Object.entries(undo.operation)) {
    const isInFolder = text !== null && name.includes('/');
    writeGitFile(repository.gitDir, name, isInFolder ? Buffer.from(text, OPERATION_ENCODING) : text);
  }
  removeEmptyOperations(repository.gitDir);
  const isIndexBack = await performIndexUndo(theirs, index);
  const refs = undo.moves.map(({ ref }) => refName(ref));
  const operation = Object.keys(undo.operation).length > 0 ? ['the unfinished operation'] : [];
  return {
    restored: [...new Set([...refs, ...operation, ...(isIndexBack ? ['the index'] : [])])],
    kept: leftCommits(undo.moves),
  };
}

/** To git an operation lasts as long as its folder is there. */
function removeEmptyOperations(gitDir: string): void {
  for (const folder of OPERATION_FOLDERS) {
    try {
      rmdirSync(join(gitDir, folder));
    } catch {
      // Not there, or not empty.
    }
  }
}

/** The commits that refs leave, so that a person can find them again. */
function leftCommits(moves: readonly RefMove[]): readonly KeptCommit[] {
  const leaving = moves.filter(({ from }) => from !== null && !from.startsWith('ref: '));
  const commits = new Map(leaving.map(({ ref, from }) => [from as string, ref]));
  return [...commits].map(([commit, ref]) => ({ name: refName(ref), commit }));
}

/** Moves refs that are still where the plan saw them: all of them, or none. */
async function moveRefs(place: GitPlace, moves: readonly RefMove[], reason: string): Promise<void> {
  const isSymbolic = ({ from, to }: RefMove) => [from, to].some((value) => value?.startsWith('ref: '));
  const lines = moves.filter((move) => !isSymbolic(move)).map(moveLine);
  const args = ['update-ref', '--no-deref', '-m', reason, '--stdin'];
  if (lines.length > 0) await git(place, { args, input: Buffer.from(lines.join('')) });
  for (const { ref, to } of moves.filter(isSymbolic)) {
    const target = /^ref: (.+)$/.exec(to ?? '')?.[1];
    if (target !== undefined) await git(place, { args: ['symbolic-ref', '-m', reason, ref, target] });
    else if (to === null) await git(place, { args: ['symbolic-ref', '--delete', ref] });
    else await git(place, { args: ['update-ref', '--no-deref', '-m', reason, ref, to] });
  }
}

function moveLine({ ref, from, to }: RefMove): string {
  if (to === null) return `delete ${ref} ${from}\n`;
  return from === null ? `create ${ref} ${to}\n` : `update ${ref} ${to} ${from}\n`;
}
