import { join, relative } from 'node:path';
import { compareGitStates, type GitChange, type GitState } from '../../domain/work/git-state.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { gitLine } from '../git.ts';
import { changedEntries, readIndexContent, readVersion } from './index-content.ts';
import { removeStaleLocks } from './lock-files.ts';
import { readGitState } from './read-git-state.ts';
import { savedFile, savedState, saveGitState } from './saved-states.ts';

/** A repository, and the data folder that its states are saved in. */
export interface StatePlace {
  readonly repository: Repository;
  readonly dataFolder: string;
}

/** The findings after the work. */
export interface FoundGitChanges {
  readonly gitChanges: readonly GitChange[];
  /** The saved state from after the work; absent where nothing changed, or where it cannot be read. */
  readonly gitState?: string;
}

const NAMES_SHOWN_MAX = 3;
const CHANGES_MAX = 200;

/** Saves the state of a repository before the work; null where it cannot be read. */
export async function recordGitState({ repository, dataFolder }: StatePlace): Promise<string | null> {
  const read = await readGitState(repository);
  return read && (await saveGitState(dataFolder, read));
}

/** Finds what became of branches, HEAD, stash and index since a state was saved. */
export async function findGitChanges(place: StatePlace, saved: string): Promise<FoundGitChanges> {
  const { repository, dataFolder } = place;
  const before = savedState(dataFolder, saved);
  const read = await readGitState(repository);
  if (before === null) return { gitChanges: [] };
  if (read === null) return { gitChanges: [BROKEN] };
  const found = compareGitStates(before, read.state);
  const index = before.index === read.state.index ? null : await indexChange(place, before.index);
  const locks = await lockChanges(place, before, read.state);
  const changes = [...(await withCounts(place, found)), ...(index ? [index] : [])];
  const gitChanges = [...changes.slice(0, CHANGES_MAX), ...locks];
  if (gitChanges.length === 0) return { gitChanges };
  return { gitChanges, gitState: await saveGitState(dataFolder, read) };
}

const BROKEN: GitChange = { kind: 'repository', name: '.git', before: null, after: null, count: null };

/** Locks that came with the work. Whoever took them has ended with the run, so one that no git of a person holds is removed. */
async function lockChanges(
  { repository }: StatePlace,
  before: GitState,
  after: GitState,
): Promise<readonly GitChange[]> {
  const { locks: known } = before;
  const came = known === undefined ? [] : (after.locks ?? []).filter((lock) => !known.includes(lock));
  if (came.length === 0) return [];
  const paths = came.slice(0, CHANGES_MAX).map((lock) => join(repository.commonDir, lock));
  const removed = await removeStaleLocks(repository, paths);
  return paths.map((path) => {
    const kind = removed.includes(path) ? 'removed-lock' : 'lock';
    return { kind, name: relative(repository.root, path), before: null, after: null, count: null } as const;
  });
}

/** Null where only the times of files differ. */
async function indexChange({ repository, dataFolder }: StatePlace, saved: string | null): Promise<GitChange | null> {
  const [was, is] = await Promise.all([
    saved === null ? new Map<string, string>() : readIndexContent(repository, savedFile(dataFolder, saved)),
    readIndexContent(repository, join(repository.gitDir, 'index')),
  ]);
  if (was === null) return null;
  if (is === null) return { ...BROKEN, kind: 'index', name: 'it cannot be read' };
  const names = changedEntries(was, is);
  if (names.length === 0) return null;
  const shown = names.slice(0, NAMES_SHOWN_MAX).map((name) => entryText(name, was.get(name), is.get(name)));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return { kind: 'index', name: shown.join(', ') + more, before: null, after: null, count: names.length };
}

/** A path of the index; one whose changes git overlooks from now on says so. */
function entryText(name: string, was: string | undefined, is: string | undefined): string {
  const [before, after] = [was, is].map((version) => (version === undefined ? undefined : readVersion(version)));
  const flags = [
    ...(after?.isAssumed && !before?.isAssumed ? ['assume-unchanged'] : []),
    ...(after?.isSkipped && !before?.isSkipped ? ['skip-worktree'] : []),
  ];
  const text = Buffer.from(name, 'latin1').toString('utf8');
  return flags.length === 0 ? text : `${text} (${flags.join(', ')}: git overlooks its changes)`;
}

/** Counts the commits that branches gained. */
async function withCounts({ repository }: StatePlace, changes: readonly GitChange[]): Promise<readonly GitChange[]> {
  const { gitDir, root: workTree } = repository;
  return await Promise.all(
    changes.map(async (change) => {
      const { kind, before, after } = change;
      if (kind !== 'branch' || before === null || after === null) return change;
      const args = ['rev-list', '--count', `${before}..${after}`, '--'];
      const count = await gitLine({ gitDir, workTree }, { args, exitCodes: [0, 1, 128] });
      return { ...change, count: count === '' ? null : Number(count) };
    }),
  );
}
