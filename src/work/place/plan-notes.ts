import { lstatSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { CommandRun } from '../../checks/run-checks.ts';
import type { AgentFacts } from '../../domain/agent/agent.ts';
import type { Order } from '../../domain/order/order.ts';
import { isWithin } from '../../domain/work/path-text.ts';
import type { Repository } from '../../domain/work/repository.ts';
import { compareWithCommit } from '../../workspace/compare-with-commit.ts';
import { readPlainFile } from '../../workspace/files/read-plain-file.ts';
import { type DependencyFolder, dependencyFolders } from '../../workspace/worktree/dependency-folders.ts';
import { foldersAround, gitFolderOutside } from './work-folder.ts';

export interface WorktreeQuestion {
  readonly order: Pick<Order, 'workspaceRoot' | 'worktree'>;
  /** Null where the agent is not configured. */
  readonly agent: Pick<AgentFacts, 'command'> | null;
  readonly repository: Repository;
  /** The commit that the worktree will be made of. */
  readonly head: string;
}

/** Notes of a plan about what a worktree lacks or shares with the user's checkout. */
export async function worktreeNotes(question: WorktreeQuestion): Promise<readonly string[]> {
  const { order, repository } = question;
  return [
    ...(await agentNotes(question)),
    ...dependencyNotes(repository.root, order.worktree),
    ...submoduleNotes(repository.root),
    ...filterNotes(repository.root),
  ];
}

const GIT_FILE_BYTES_MAX = 1_048_576;
const NAMES_SHOWN_MAX = 5;

/** The folders of the submodules that .gitmodules names. A worktree has them, empty. */
function submodulesOf(root: string): readonly string[] {
  const text = readPlainFile(join(root, '.gitmodules'), GIT_FILE_BYTES_MAX) ?? '';
  const paths = text.split('\n').flatMap((line) => /^path\s*=(.*)$/s.exec(line.trim())?.[1]?.trim() || []);
  return paths.filter((path) => !path.startsWith('/') && !path.split('/').includes('..'));
}

function isFilled(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    // Not checked out, or gone.
    return false;
  }
}

function submoduleNotes(root: string): readonly string[] {
  const paths = submodulesOf(root).filter((path) => isFilled(join(root, path)));
  const names = namesOf(paths);
  if (paths.length === 0) return [];
  const what = paths.length === 1 ? `the submodule ${names}` : `the submodules ${names}`;
  return [`the worktree will not have the files of ${what}: a run in place has them`];
}

/** Git LFS and other filters are commands of the user's git, which Baton does not run. */
function filterNotes(root: string): readonly string[] {
  const text = readPlainFile(join(root, '.gitattributes'), GIT_FILE_BYTES_MAX) ?? '';
  const found = text.split('\n').flatMap(filteredFiles);
  const [first] = found;
  if (first === undefined) return [];
  const patterns = namesOf(found.map(({ pattern }) => pattern));
  const filter = first.filter === 'lfs' ? 'Git LFS' : `the filter ${first.filter}`;
  return [`the worktree will have ${patterns} as git stores them, without ${filter}: a run in place has them whole`];
}

function filteredFiles(line: string): readonly { readonly pattern: string; readonly filter: string }[] {
  const [pattern = '', ...attributes] = line.trim().split(/\s+/);
  const filter = attributes.find((each) => each.startsWith('filter='))?.slice('filter='.length) ?? '';
  return filter === '' || pattern.startsWith('#') ? [] : [{ pattern, filter }];
}

function namesOf(names: readonly string[]): string {
  const rest = names.length - NAMES_SHOWN_MAX;
  return names.slice(0, NAMES_SHOWN_MAX).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Notes of a plan about what the agent reads beside a workspace that is a part of a repository, or whose git folder is elsewhere. */
export function surroundingNotes(order: Order, repository: Repository, workplace: string): readonly string[] {
  const [root] = foldersAround(order, repository);
  const [gitFolder] = workplace !== 'worktree' ? gitFolderOutside(order, repository) : [];
  return [
    ...(root === undefined ? [] : [`the rest of the repository ${root} can be read, not changed; git there neither`]),
    ...(gitFolder === undefined ? [] : [`the git folder ${gitFolder} can be read, not changed: no commits here`]),
  ];
}

/** The worktree stands in the place of the repository, so a program of the agent that lies there comes from the commit. */
async function agentNotes({ order, agent, repository, head }: WorktreeQuestion): Promise<readonly string[]> {
  const words = (agent?.command ?? []).map((word) => resolve(order.workspaceRoot, word));
  const files = [...new Set(words)].filter((path) => isWithin(repository.root, path) && isFile(path));
  const names = files.map((path) => relative(repository.root, path));
  const own = names.filter((name) => !order.worktree.include.some((each) => isWithin(each, name)));
  const notes = await Promise.all(
    own.map(async (name) => noteOf(name, await compareWithCommit(repository, head, name))),
  );
  return notes.filter((note) => note !== null);
}

function noteOf(name: string, found: 'absent' | 'same' | 'changed'): string | null {
  if (found === 'same') return null;
  const file = `${name}, which the agent runs`;
  if (found === 'changed')
    return `the worktree will have ${file}, without your uncommitted changes: commit them to use them`;
  const include = `baton config set worktree.include '${JSON.stringify([name])}'`;
  return `the worktree will not have ${file}: commit it, or ${include}`;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Notes of a plan about dependencies that a worktree shares or lacks; its setup may install them, its include copy them. */
function dependencyNotes(root: string, { setup, include }: Order['worktree']): readonly string[] {
  if (setup.length > 0) return [];
  const folders = dependencyFolders(root).filter(({ path }) => !include.some((each) => isWithin(each, path)));
  const lacks = folders.filter(({ isThere }) => !isThere).map((folder) => `the worktree will have ${missing(folder)}`);
  const shared = folders.filter(({ isThere }) => isThere);
  const [first] = shared;
  if (first === undefined) return lacks;
  const names = shared.map(({ path }) => path).join(', ');
  return [...lacks, `the worktree reads ${names} of your checkout; ${setupCommand(first)} gives it its own`];
}

/** How programs say that a module or a command of a package is not installed. */
const NOT_FOUND =
  /cannot find (?:module|package)|err_module_not_found|modulenotfounderror|no module named|command not found|: not found|vendor\/autoload|could not find gem/i;
const NO_SUCH_COMMAND = 127;
const NO_SUCH_FILE = /no such file|cannot find|not found|enoent/i;

/** The end of a check that could not run because dependencies are not installed; null for any other end. */
export function withoutDependencies(end: CommandRun, root: string): CommandRun | null {
  if (end.kind !== 'ran' || end.exitCode === 0) return null;
  const said = `${end.stdoutTail}\n${end.stderrTail}`;
  const empty = submodulesOf(root).find((path) => !isFilled(join(root, path)) && said.includes(`${path}/`));
  if (empty !== undefined && NO_SUCH_FILE.test(said)) {
    return { kind: 'could-not-run', reason: `the submodule ${empty} has no files here: run in place, or check it out` };
  }
  const isNotFound = end.exitCode === NO_SUCH_COMMAND || NOT_FOUND.test(said);
  const lacking = isNotFound ? dependencyFolders(root).find(({ isThere }) => !isThere) : undefined;
  return lacking ? { kind: 'could-not-run', reason: `there is ${missing(lacking)}` } : null;
}

function missing(folder: DependencyFolder): string {
  return `no ${folder.path}, which ${folder.manifest} asks for: ${setupCommand(folder)} installs it in worktrees`;
}

function setupCommand({ install }: DependencyFolder): string {
  return `baton config set worktree.setup '${JSON.stringify([install])}'`;
}
