import { lstatSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { CommandRun } from '../../checks/run-checks.ts';
import type { AgentFacts } from '../../domain/agent.ts';
import type { Order } from '../../domain/order.ts';
import { isWithin } from '../../domain/path-text.ts';
import type { Repository } from '../../domain/repository.ts';
import { compareWithCommit } from '../../workspace/compare-with-commit.ts';
import { type DependencyFolder, dependencyFolders } from '../../workspace/worktree/dependency-folders.ts';

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
  return [...(await agentNotes(question)), ...dependencyNotes(repository.root, order.worktree)];
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

/** A check that failed because dependencies are not installed could not run; any other end stays as it is. */
export function withoutDependencies(end: CommandRun, root: string): CommandRun {
  if (end.kind !== 'ran' || end.exitCode === 0) return end;
  const isNotFound = end.exitCode === NO_SUCH_COMMAND || NOT_FOUND.test(`${end.stdoutTail}\n${end.stderrTail}`);
  const lacking = isNotFound ? dependencyFolders(root).find(({ isThere }) => !isThere) : undefined;
  return lacking ? { kind: 'could-not-run', reason: `there is ${missing(lacking)}` } : end;
}

function missing(folder: DependencyFolder): string {
  return `no ${folder.path}, which ${folder.manifest} asks for: ${setupCommand(folder)} installs it in worktrees`;
}

function setupCommand({ install }: DependencyFolder): string {
  return `baton config set worktree.setup '${JSON.stringify([install])}'`;
}
