import { join, relative } from 'node:path';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { gitChangeText } from '../../domain/work/git-state.ts';
import {
  type IgnoredChange,
  type IgnoredState,
  type NestedRepository,
  repositoryChange,
} from '../../domain/work/ignored-files.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { findRepository } from '../find-repository.ts';
import { findGitChanges, recordGitState } from '../git-state/find-git-changes.ts';
import { type GitUndone, type PreparedGitUndo, prepareGitUndo } from '../git-state/undo-git-state.ts';

interface NestedPlace {
  /** The root of the workspace. */
  readonly root: string;
  readonly dataFolder: string;
}

type NestedRepositories = Readonly<Record<string, NestedRepository>>;

/** Saves the state of git itself in each nested repository. */
export async function saveNested(
  { root, dataFolder }: NestedPlace,
  paths: readonly string[],
): Promise<NestedRepositories> {
  const found: Record<string, NestedRepository> = {};
  for (const path of paths) {
    const repository = nestedAt(root, path);
    if (repository === null) continue;
    const gitState = await recordGitState({ repository, dataFolder });
    found[path] = { gitDir: relative(root, repository.gitDir), gitState };
  }
  return found;
}

/** Null where there is none, or another one above it. */
function nestedAt(root: string, path: string): Repository | null {
  const folder = join(root, Buffer.from(path, 'latin1').toString('utf8'));
  const repository = findRepository(folder);
  return repository?.root === folder.replace(/\/$/, '') ? repository : null;
}

interface FoundNested {
  readonly changes: readonly IgnoredChange[];
  /** The repositories after the work. */
  readonly repositories: NestedRepositories;
}

/** Finds what became of branches, HEAD, index and stash of nested repositories since a state was saved. */
export async function findNestedChanges(
  place: NestedPlace,
  before: IgnoredState,
  paths: readonly string[],
): Promise<FoundNested> {
  const repositories: Record<string, NestedRepository> = {
    ...(await saveNested(
      place,
      paths.filter((path) => !before.repositories?.[path]),
    )),
  };
  const changes: IgnoredChange[] = [];
  for (const [path, was] of Object.entries(before.repositories ?? {})) {
    const repository = sameRepository(place.root, path, was);
    if (repository === null) {
      changes.push(repositoryChange(path, ['its git folder is gone, or another one']));
      continue;
    }
    repositories[path] = was;
    if (was.gitState === null) continue;
    const found = await findGitChanges({ repository, dataFolder: place.dataFolder }, was.gitState);
    if (found.gitChanges.length === 0) continue;
    changes.push(repositoryChange(path, found.gitChanges.map(gitChangeText)));
    repositories[path] = { ...was, gitState: found.gitState ?? was.gitState };
  }
  return { changes, repositories };
}

/** Null where the git folder is not the one that was recorded. */
function sameRepository(root: string, path: string, { gitDir }: NestedRepository): Repository | null {
  const repository = nestedAt(root, path);
  return repository && relative(root, repository.gitDir) === gitDir ? repository : null;
}

interface NestedUndoOrder extends NestedPlace {
  readonly before: IgnoredState;
  readonly after: IgnoredState;
  /** Written to the logs of refs. */
  readonly reason: string;
}

/** Prepares to take back what the work did to branches, HEAD, index and stash of nested repositories. */
export async function prepareNestedUndo(order: NestedUndoOrder): Promise<PreparedGitUndo | Refusal> {
  const { root, dataFolder, reason } = order;
  const prepared: { readonly name: string; readonly undo: PreparedGitUndo }[] = [];
  const lost: string[] = [];
  for (const [path, was] of Object.entries(order.before.repositories ?? {})) {
    const name = Buffer.from(path, 'latin1').toString('utf8').slice(0, -1);
    const [before, after] = [was.gitState, order.after.repositories?.[path]?.gitState];
    if (before === null || before === after) continue;
    const repository = sameRepository(root, path, was);
    if (!after || repository === null) {
      lost.push(`the repository ${name}: its git folder is gone, or another one`);
      continue;
    }
    const undo = await prepareGitUndo({ repository, dataFolder }, { before, after, reason });
    if (isRefusal(undo)) return undo;
    prepared.push({ name, undo });
  }
  return {
    movedSince: prepared.flatMap(({ name, undo }) => undo.movedSince.map((each) => inside(name, each))),
    lost: [...lost, ...prepared.flatMap(({ name, undo }) => undo.lost.map((each) => inside(name, each)))],
    perform: async () => {
      const all: GitUndone[] = [];
      for (const { name, undo } of prepared) all.push(withName(name, await undo.perform()));
      return { restored: all.flatMap(({ restored }) => restored), kept: all.flatMap(({ kept }) => kept) };
    },
  };
}

function withName(name: string, { restored, kept }: GitUndone): GitUndone {
  return {
    restored: restored.map((each) => inside(name, each)),
    kept: kept.map((each) => ({ ...each, name: inside(name, each.name), nested: name })),
  };
}

function inside(name: string, what: string): string {
  return `${what} of ${name}`;
}
