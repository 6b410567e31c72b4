import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { GIT_TEXT_BYTES_MAX, REPOSITORY_STATUS_MS_MAX } from '../domain/limits.ts';
import type { Repository } from '../domain/work/repository.ts';
import type { Clock } from '../platform/clock.ts';
import { readPlainFile } from './files/read-plain-file.ts';
import { findRepository } from './find-repository.ts';
import { type GitPlace, git, splitAtNul } from './git.ts';
import { readRepositorySettings } from './repository-settings.ts';

/** Counts files that differ from HEAD, ignored ones aside. */
export interface DirtyCounts {
  readonly staged: number;
  readonly modified: number;
  readonly untracked: number;
  /** Files with conflicts of an unfinished merge. */
  readonly conflicted: number;
}

export type Operation = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect';

export interface RepositoryStatus extends Repository {
  readonly kind: 'repository';
  /** The commit, or null where there is none yet. */
  readonly head: string | null;
  /** Null where HEAD is detached. */
  readonly branch: string | null;
  readonly dirty: DirtyCounts;
  readonly isDirty: boolean;
  /** The git operation that is unfinished. */
  readonly operation: Operation | null;
}

const OPERATIONS: readonly (readonly [string, Operation])[] = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

export type WorkspaceStatus = RepositoryStatus | { readonly kind: 'none' };

/** A look at a folder that a command begins before its node is there, so that git works meanwhile. */
export class EarlyLook {
  readonly #folder: string;
  readonly #clock: Clock;
  #status: Promise<WorkspaceStatus> | null;
  /** Null while git runs. */
  #endedAtMs: number | null = null;

  constructor(folder: string, clock: Clock, read = readRepositoryStatus) {
    this.#folder = folder;
    this.#clock = clock;
    this.#status = read(folder);
    const noteEnd = () => {
      this.#endedAtMs = clock.now().monotonicMs;
    };
    this.#status.then(noteEnd, noteEnd);
  }

  /** Its answer, once, for a plan of that folder which is made meanwhile or right after; null for any other. */
  take(folder: string): Promise<WorkspaceStatus> | null {
    const status = this.#status;
    if (folder !== this.#folder) return null;
    this.#status = null;
    const nowMs = this.#clock.now().monotonicMs;
    return nowMs - (this.#endedAtMs ?? nowMs) < REPOSITORY_STATUS_MS_MAX ? status : null;
  }
}

/** Git would start up to 20 threads, which take these from the command that begins meanwhile. */
const FEW_PROCESSORS = 2;

/** Reads the state of a folder as its own git sees it. Creates nothing; does not enter submodules and nested repositories. */
export async function readRepositoryStatus(folder: string): Promise<WorkspaceStatus> {
  const repository = findRepository(folder);
  if (!repository) return { kind: 'none' };
  const place = { gitDir: repository.gitDir, workTree: repository.root };
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--no-renames'];
  const off = mayHaveFilters(repository) ? await filtersOff(place) : {};
  const settings = availableParallelism() <= FEW_PROCESSORS ? ['core.preloadIndex=false'] : [];
  const said = await git(place, { args: [...args, '--ignore-submodules=all'], settings, env: off });
  const { head, branch, dirty } = readStatus(said.stdout);
  const isDirty = dirty.staged + dirty.modified + dirty.untracked + dirty.conflicted > 0;
  return { kind: 'repository', ...repository, head, branch, dirty, isDirty, operation: operationOf(repository) };
}

/** Reading these files is faster than starting `git config`, which is run only where they could name a filter. */
function mayHaveFilters({ gitDir, commonDir }: Repository): boolean {
  const files = [join(commonDir, 'config'), join(commonDir, 'config.worktree'), join(gitDir, 'config.worktree')];
  const texts = files.filter((file) => existsSync(file)).map((file) => readPlainFile(file, GIT_TEXT_BYTES_MAX));
  return texts.some((text) => text === null || /filter|include/i.test(text));
}

/** Turns filters off: a clean filter is a command of the repository, which git would run on every file it compares. */
export async function filtersOff(place: GitPlace): Promise<Record<string, string>> {
  const { own } = await readRepositorySettings(place);
  const names = new Set([...own.keys()].filter((name) => name.startsWith('filter.')));
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(names.size) };
  let at = 0;
  for (const name of names) {
    env[`GIT_CONFIG_KEY_${at}`] = name;
    env[`GIT_CONFIG_VALUE_${at}`] = name.endsWith('.required') ? 'false' : '';
    at++;
  }
  return env;
}

function readStatus(said: Buffer): Pick<RepositoryStatus, 'head' | 'branch' | 'dirty'> {
  const dirty = { staged: 0, modified: 0, untracked: 0, conflicted: 0 };
  let head: string | null = null;
  let branch: string | null = null;
  for (const part of splitAtNul(said)) {
    const line = part.toString('latin1');
    if (line.startsWith('# branch.oid ')) head = line.endsWith('(initial)') ? null : line.slice('# branch.oid '.length);
    else if (line.startsWith('# branch.head ')) branch = branchOf(part);
    else if (line.startsWith('? ')) dirty.untracked++;
    else if (line.startsWith('u ')) dirty.conflicted++;
    else if (line.startsWith('1 ')) {
      if (line[2] !== '.') dirty.staged++;
      if (line[3] !== '.') dirty.modified++;
    }
  }
  return { head, branch, dirty };
}

function branchOf(part: Buffer): string | null {
  const name = part.toString('utf8').slice('# branch.head '.length);
  return name === '(detached)' ? null : name;
}

function operationOf({ gitDir }: Repository): Operation | null {
  return OPERATIONS.find(([file]) => existsSync(join(gitDir, file)))?.[1] ?? null;
}
