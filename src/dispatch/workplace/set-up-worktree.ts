import { runCommand } from '../../agents/process/run-command.ts';
import type { Workplace } from '../../domain/execution/findings.ts';
import { WORKTREE_SETUP_MS_MAX } from '../../domain/limits.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import type { Repository } from '../../domain/repository.ts';
import type { Worktree } from '../../workspace/worktree/make-worktree.ts';
import { shareDependencies } from '../../workspace/worktree/share-dependencies.ts';
import type { OpenOrder } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { checkSurroundings } from './check-surroundings.ts';
import { workFolderOf } from './work-folder.ts';

interface SetUp {
  readonly made: Worktree;
  readonly workplace: Extract<Workplace, { readonly kind: 'worktree' }>;
  readonly repository: Repository;
}

/**
 * Runs the setup commands of the configuration in a new worktree, in the sandbox and with the rights of the task. Returns the
 * folders of dependencies that it shares with the checkout, because no command made them.
 */
export async function setUpWorktree(
  world: RunWorld,
  at: OpenOrder & { readonly signal: AbortSignal },
  { made, workplace, repository }: SetUp,
): Promise<Refusal | readonly string[]> {
  const { order } = at.execution;
  const folder = workFolderOf({ order, workplace, dataFolder: world.dataFolder, head: made.head });
  const surroundings = await checkSurroundings(world, at, folder);
  for (const argv of made.setup) {
    if ('reason' in surroundings) return refuse('E_PERMISSION_DENIED', surroundings.reason);
    const { sandbox, env, secrets, grant } = surroundings;
    const request = {
      argv,
      cwd: folder.repository?.root ?? order.workspaceRoot,
      env,
      secrets,
      grant,
      timeoutMs: WORKTREE_SETUP_MS_MAX,
      signal: at.signal,
    };
    const ran = await runCommand(sandbox, request, world.timer);
    if (ran.kind === 'ran' && ran.exitCode === 0) continue;
    const why =
      ran.kind === 'ran'
        ? `ended with ${ran.exitCode ?? ran.signal}: ${ran.stderrTail.trim().slice(-500)}`
        : ran.reason;
    return refuse('E_PROCESS_CRASH', `worktree.setup: ${argv.join(' ')} ${why}`);
  }
  return await shareDependencies(repository, workplace.folder);
}
