import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { git } from '../../workspace/git.ts';
import { isOfBaton } from '../../workspace/own-folders.ts';
import { objectsOf, openPrivateRepository, type ShadowPlace } from '../../workspace/shadow/private-repository.ts';
import { makeGitFolder } from '../../workspace/worktree/make-worktree.ts';
import { removeWorktree } from '../../workspace/worktree/remove-worktree.ts';
import { changeFiles, endLaying, layOutFiles } from './lay-out.ts';

export interface WorktreeOfResult {
  /** The user's files, whose store has the states. */
  readonly place: ShadowPlace;
  /** The folder to create. */
  readonly folder: string;
  readonly head: string | null;
  readonly before: string;
}

/** The worktree of a run that was elsewhere, at one of its states. */
export interface ResultWorktree {
  /** Brings its files to another state. */
  changeTo(state: string): Promise<void>;
  /** Brings HEAD to the last of the agent's own commits. */
  moveHead(tip: string): Promise<void>;
  end(): void;
}

/**
 * Makes the worktree that a run on another node would have left here, at the state before it. One that is there is replaced: it
 * is left over from a process that died.
 */
export async function makeResultWorktree(request: WorktreeOfResult): Promise<ResultWorktree> {
  const { place, folder, head, before } = request;
  const own = await openPrivateRepository(place);
  const bare = { ...own.place, gitDir: own.folder };
  removeWorktree(folder);
  makeFoldersIn(place.dataFolder, dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
  await layOutFiles(bare, { folder, state: before, more: [] });
  await makeGitFolder(place.repository, folder, head);
  // The rules for a folder without git say which of its files count; in the worktree all do.
  if (isOfBaton(place.dataFolder, place.repository)) rmSync(join(folder, '.git', 'info', 'exclude'), { force: true });
  const { objects } = own.store;
  if (head !== null) await fillGitFolder(request, { objects, commit: head, head });
  let at = before;
  return {
    async changeTo(state) {
      await changeFiles(bare, folder, { from: at, to: state });
      at = state;
    },
    async moveHead(tip) {
      if (head !== null) await fillGitFolder(request, { objects, commit: tip, head });
    },
    end: () => endLaying(folder),
  };
}

interface Filling {
  /** The folder of objects of Baton's store. */
  readonly objects: string;
  readonly commit: string;
  readonly head: string;
}

/** The agent's own commits go into the worktree, as they do where an agent makes them; its index is at the last one. */
async function fillGitFolder({ place, folder }: WorktreeOfResult, { objects, commit, head }: Filling): Promise<void> {
  const gitDir = join(folder, '.git');
  const others = [objects, objectsOf(place.repository)].map((each) => JSON.stringify(each)).join(':');
  const worktree = { gitDir, workTree: folder, env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: others } };
  if (commit !== head) {
    const input = Buffer.from(`--shallow ${head}\n^${head}\n${commit}\n`);
    const args = ['pack-objects', '--revs', '--shallow', '-q', '--window=0', join(gitDir, 'objects', 'pack', 'pack')];
    await git({ ...worktree, workTree: gitDir }, { args, input });
    writeFileSync(join(gitDir, 'HEAD'), `${commit}\n`);
  }
  await git(worktree, { args: ['read-tree', commit] });
}
