import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnCommits } from '../domain/execution/findings.ts';
import { IMPORTED_COMMIT_BYTES_MAX } from '../domain/limits.ts';
import type { Repository } from '../domain/work/repository.ts';
import { type GitEnvironment, type GitPlace, git, gitLine, gitPipe } from './git.ts';
import { readHead } from './read-head.ts';
import { nameCommit, noteCommit } from './shadow/object-store.ts';
import {
  objectsOf,
  openPrivateRepository,
  type PrivateRepository,
  type ShadowPlace,
  usingStore,
} from './shadow/private-repository.ts';
import { inStagingArea } from './shadow/staging-area.ts';

/** Commits of an agent beyond these are not kept one by one. */
const COMMITS_MAX = 1_000;

export interface CommitsQuestion {
  /** HEAD before the work; null where there was no commit. */
  readonly base: string | null;
  /** The repository that the agent committed to: the user's, or that of a worktree. */
  readonly repository: Repository;
  /** The name of the last commit in Baton's store. */
  readonly ref: string;
}

/**
 * Copies the commits that HEAD gained into Baton's store, with every object checked: they survive an undo, and the end of their
 * worktree. Null where there are none, or where they do not follow the base, as after a rebase.
 */
export function keepCommits(place: ShadowPlace, question: CommitsQuestion): Promise<OwnCommits | null> {
  return usingStore(place, `index of ${place.root}`, () => keepInTurn(place, question));
}

async function keepInTurn(place: ShadowPlace, { base, repository, ref }: CommitsQuestion): Promise<OwnCommits | null> {
  const tip = await readHead(repository);
  if (base === null || tip === null || tip === base) return null;
  const own = await openPrivateRepository(place);
  const from = readingPlace(own, place, repository);
  const ancestor = await git(from, { args: ['merge-base', '--is-ancestor', base, tip], exitCodes: [0, 1, 128] });
  if (ancestor.exitCode !== 0) return null;
  const count = Number(await gitLine(from, { args: ['rev-list', '--count', `${base}..${tip}`] }));
  if (count > COMMITS_MAX || !(await copyCommits(own, from, { base, tip }))) return null;
  const tree = await gitLine(own.place, { args: ['rev-parse', '--verify', `${tip}^{tree}`] });
  noteCommit(own.store, { commit: tip, tree });
  nameCommit(own.store, { ref, commit: tip });
  return { tip, count };
}

/** Baton's own git folder with the agent's objects: no configuration of the agent's counts. */
function readingPlace(own: PrivateRepository, place: ShadowPlace, repository: Repository): GitPlace {
  const others = [objectsOf(place.repository), own.store.objects].map((folder) => JSON.stringify(folder)).join(':');
  const env = {
    GIT_OBJECT_DIRECTORY: objectsOf(repository),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: others,
    ...shallowOf(repository),
  };
  return { ...own.place, workTree: own.folder, env: { ...own.place.env, ...env } };
}

/** A shallow clone lacks the parents of some commits; git has to be told which. */
function shallowOf({ commonDir }: Repository): GitEnvironment {
  const file = join(commonDir, 'shallow');
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? { GIT_SHALLOW_FILE: file } : {};
}

function copyCommits(
  own: PrivateRepository,
  { env = {} }: GitPlace,
  { base, tip }: { readonly base: string; readonly tip: string },
): Promise<boolean> {
  return inStagingArea(own, async (into) => {
    const args = ['pack-objects', '--revs', '--stdout', '-q', '--window=0'];
    const pack = { args, input: Buffer.from(`${tip}\n^${base}\n`), env };
    // Checks that objects are well-formed: a tree of an agent must not contain `.git`.
    const index = { args: ['index-pack', '--stdin', '--strict'] };
    const ended = await gitPipe({ ...into.place, workTree: own.folder }, [pack, index], IMPORTED_COMMIT_BYTES_MAX);
    return ended.exitCodes.every((code) => code === 0);
  });
}
