import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { type GitState, headCommitOf } from '../../domain/work/git-state.ts';
import { type GitPlace, git } from '../git.ts';
import type { StatePlace } from './find-git-changes.ts';
import { changedEntries, type IndexContent, readIndexContent, readVersion } from './index-content.ts';
import { savedBytes, savedFile } from './saved-states.ts';
import { writeGitFile } from './write-git-file.ts';

export interface IndexPlan {
  /** The bytes to put back whole; null removes the index, undefined leaves it. */
  readonly whole?: Buffer | null;
  /** Lines for update-index. */
  readonly lines: readonly Buffer[];
  /** Paths among them whose changes git overlooks, by the flag of update-index. */
  readonly overlooked?: Readonly<Record<string, readonly Buffer[]>>;
  readonly changedSince: readonly string[];
}

const INDEX_STAYS: IndexPlan = { lines: [], changedSince: [] };

interface ThreeStates {
  readonly before: GitState;
  readonly after: GitState;
  readonly present: GitState;
}

/** Plans the index. If HEAD is at a commit that a person made since, the index goes with that commit and stays. */
export async function planIndexUndo(place: StatePlace, states: ThreeStates): Promise<IndexPlan | Refusal> {
  const { before, after, present } = states;
  if (before.index === after.index || present.index === before.index) return INDEX_STAYS;
  const head = headCommitOf(present);
  if (head !== headCommitOf(after) && head !== headCommitOf(before)) return INDEX_STAYS;
  const [was, left, is] = await Promise.all([
    contentOf(place, before.index),
    contentOf(place, after.index),
    readIndexContent(place.repository, join(place.repository.gitDir, 'index')),
  ]);
  const changed = was && left ? changedEntries(was, left) : [];
  if (!was || !left || changed.length === 0) return INDEX_STAYS;
  const lock = join(place.repository.gitDir, 'index.lock');
  if (existsSync(lock)) {
    return { ...refuse('workspace_failed', `git is at work in this repository: ${lock} exists`), hint: LOCK_HINT };
  }
  if (is === null || changedEntries(left, is).length === 0) {
    return { ...INDEX_STAYS, whole: before.index === null ? null : savedBytes(place.dataFolder, before.index) };
  }
  const open = changed.filter((name) => is.get(name) !== was.get(name));
  const mine = open.filter((name) => is.get(name) === left.get(name));
  const changedSince = open.filter((name) => is.get(name) !== left.get(name)).map(entryName);
  const overlooked = {
    '--assume-unchanged': flagged(mine, was, 'isAssumed'),
    '--skip-worktree': flagged(mine, was, 'isSkipped'),
  };
  return { lines: mine.flatMap((name) => entryLines(name, was)), overlooked, changedSince };
}

const LOCK_HINT = 'wait until git has ended; if none is running, remove that file and try again';

function contentOf(place: StatePlace, index: string | null): Promise<IndexContent | null> {
  if (index === null) return Promise.resolve(new Map());
  return readIndexContent(place.repository, savedFile(place.dataFolder, index));
}

function entryName(name: string): string {
  return `the index entry of ${Buffer.from(name, 'latin1').toString('utf8')}`;
}

function flagged(names: readonly string[], was: IndexContent, flag: 'isAssumed' | 'isSkipped'): readonly Buffer[] {
  return names
    .filter((name) => readVersion(was.get(name) ?? '')[flag])
    .map((name) => Buffer.from(`${name}\0`, 'latin1'));
}

/** An entry is removed first: it may come back with other stages. */
function entryLines(name: string, was: IndexContent): readonly Buffer[] {
  const back =
    was
      .get(name)
      ?.split('\n')
      .map((version) => readVersion(version).line) ?? [];
  const versions = ['0 0000000000000000000000000000000000000000', ...back];
  return versions.map((version) => Buffer.from(`${version}\t${name}\0`, 'latin1'));
}

/** Puts the index back; false where it stays. */
export async function performIndexUndo(theirs: GitPlace, plan: IndexPlan): Promise<boolean> {
  const { whole, lines, overlooked = {} } = plan;
  if (whole !== undefined) writeGitFile(theirs.gitDir, 'index', whole);
  if (lines.length > 0) {
    await git(theirs, { args: ['update-index', '-z', '--index-info'], input: Buffer.concat(lines) });
  }
  for (const [flag, names] of Object.entries(overlooked)) {
    if (names.length > 0)
      await git(theirs, { args: ['update-index', flag, '-z', '--stdin'], input: Buffer.concat(names) });
  }
  return whole !== undefined || lines.length > 0;
}
