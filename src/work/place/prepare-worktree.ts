import { join } from 'node:path';
import { type CommandResult, executeCommand } from '../../agents/process/execute-command.ts';
import type { Grant } from '../../agents/sandbox/sandbox.ts';
import type { Workplace } from '../../domain/execution/findings.ts';
import { WORKTREE_SETUP_MS_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal, refuse, refuseTask } from '../../domain/refusal.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { Repository } from '../../domain/work/repository.ts';
import type { OpenOrder } from '../../operations/order/order-store.ts';
import { makeFoldersIn } from '../../platform/files/make-folders.ts';
import { readHead } from '../../workspace/read-head.ts';
import { hasFolder, makeWorktree, type Worktree } from '../../workspace/worktree/make-worktree.ts';
import { removeWorktree } from '../../workspace/worktree/remove-worktree.ts';
import { shareDependencies } from '../../workspace/worktree/share-dependencies.ts';
import type { WorkWorld } from '../work-world.ts';
import { checkSurroundings } from './check-work.ts';
import { addPriorWork } from './prior-work.ts';
import { realFolder, shadowsOf, workFolderOf } from './work-folder.ts';

export const WORKTREES = 'worktrees';

interface PreparedWorktree {
  readonly workplace: Workplace;
  readonly head: string;
  /** Tasks whose work it has from the start. */
  readonly basedOn: readonly TaskName[];
}

/** Makes a worktree of the user's HEAD with the work that the order builds on, and sets it up; null if HEAD does not contain the workspace. */
export async function prepareWorktree(
  world: WorkWorld,
  open: OpenOrder & { readonly signal: AbortSignal },
  repository: Repository | null,
): Promise<PreparedWorktree | Refusal | null> {
  const head = repository && (await readHead(repository));
  if (!repository || !head || !(await hasFolder(repository, head, realFolder(open.execution.order)))) return null;
  const parent = join(world.dataFolder, WORKTREES);
  makeFoldersIn(world.dataFolder, parent);
  const folder = join(parent, `${open.task.id}-${open.round}`);
  // An unfinished one of an earlier node.
  removeWorktree(folder);
  const { worktree, isShellAllowed } = open.execution.order;
  const { setup, include } = worktree;
  const made = await makeWorktree({ repository, folder, head, setup, include, isShellAllowed });
  if (isRefusal(made)) return made;
  const workplace = { kind: 'worktree', folder } as const;
  const place = { ...shadowsOf({ workplace, dataFolder: world.dataFolder, head, repository }), signal: open.signal };
  const basedOn = await addPriorWork(world, open, { place, repository, head });
  const shared = isRefusal(basedOn) ? basedOn : await setUpWorktree(world, open, { made, workplace, repository });
  if (isRefusal(shared) || isRefusal(basedOn)) {
    removeWorktree(folder);
    return shared as Refusal;
  }
  return { workplace: shared.length === 0 ? workplace : { ...workplace, shared }, head, basedOn };
}

const SAID_CHARACTERS_MAX = 1_000;

interface SetUp {
  readonly made: Worktree;
  readonly workplace: Extract<Workplace, { readonly kind: 'worktree' }>;
  readonly repository: Repository;
}

/** The hosts that configuration and --net allow, also for an agent that may reach none: the setup is the operator's own. */
function networkOf({ hosts, access }: OpenOrder['execution']['order'], { network }: Grant): Grant['network'] {
  if (access.network === 'FULL' || hosts.length === 0) return network;
  return { ...network, level: 'RESTRICTED', hosts };
}

/** The end of a command that failed, its network, and the last lines that it printed. */
function failureText(ran: CommandResult, { network: { level, hosts } }: Grant): string {
  if (ran.kind !== 'ran') return ran.reason;
  const reach = hosts.length === 0 ? 'no host' : hosts.join(', ');
  const allow = '--net npm, or baton config set network.restricted \'["npm"]\', opens the registry of npm';
  const network = level === 'FULL' ? '' : `; it may reach ${reach}: ${allow}`;
  const said = (ran.stderrTail.trim() || ran.stdoutTail.trim()).slice(-SAID_CHARACTERS_MAX);
  return `ended with ${ran.exitCode ?? ran.signal}${network}${said === '' ? '' : `\n${said}`}`;
}

/**
 * Runs the setup commands of the configuration in a new worktree, in the sandbox and with the rights of the task. Returns the
 * folders of dependencies that it shares with the checkout, because no command made them.
 */
async function setUpWorktree(
  world: WorkWorld,
  open: OpenOrder & { readonly signal: AbortSignal },
  { made, workplace, repository }: SetUp,
): Promise<Refusal | readonly string[]> {
  const { order } = open.execution;
  const folder = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head: made.head });
  const surroundings = await checkSurroundings(world, open, folder);
  for (const argv of made.setup) {
    if ('reason' in surroundings) return refuse('permission-denied', surroundings.reason);
    const { sandbox, env, secrets } = surroundings;
    const grant = { ...surroundings.grant, network: networkOf(order, surroundings.grant) };
    const request = {
      argv,
      cwd: folder.repository?.root ?? order.workspaceRoot,
      env,
      secrets,
      grant,
      timeoutMs: WORKTREE_SETUP_MS_MAX,
      signal: open.signal,
    };
    const ran = await executeCommand(sandbox, request, world.timer);
    if (ran.kind === 'ran' && ran.exitCode === 0) continue;
    const message = `worktree.setup: ${argv.join(' ')} ${failureText(ran, grant)}`;
    return refuseTask('process-crashed', message, open.task.id);
  }
  return await shareDependencies(repository, workplace.folder);
}
