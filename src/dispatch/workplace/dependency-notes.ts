import type { CommandRun } from '../../checks/run-checks.ts';
import type { Order } from '../../domain/order.ts';
import { isWithin } from '../../domain/path-text.ts';
import { type DependencyFolder, dependencyFolders } from '../../workspace/worktree/dependency-folders.ts';

/** Notes of a plan about dependencies that a worktree shares or lacks; its setup may install them, its include copy them. */
export function dependencyNotes(root: string, { setup, include }: Order['worktree']): readonly string[] {
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
