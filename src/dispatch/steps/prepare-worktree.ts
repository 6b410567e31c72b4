import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../agents/process/run-command.ts';
import type { Workplace } from '../../domain/execution/fact.ts';
import { WORKTREE_SETUP_MS_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { Repository } from '../../workspace/find-repository.ts';
import { headOf } from '../../workspace/shadow/take-shadow.ts';
import { makeWorktree, type Worktree } from '../../workspace/worktree/make-worktree.ts';
import { removeWorktree } from '../../workspace/worktree/remove-worktree.ts';
import type { OrderAtHand } from '../order-steps.ts';
import type { RunWorld } from '../run-world.ts';
import { workFolderOf } from '../work-folder.ts';
import { checkSurroundings } from './check-surroundings.ts';

interface Prepared {
  readonly workplace: Workplace;
  readonly head: string;
}

/** A worktree of the person's HEAD, set up as the configuration says; null where there is no commit to make it from. */
export async function prepareWorktree(
  world: RunWorld,
  at: OrderAtHand,
  repository: Repository | null,
): Promise<Prepared | Refusal | null> {
  const head = repository && (await headOf(repository));
  if (!repository || !head) return null;
  const parent = join(world.dataFolder, 'worktrees');
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const folder = join(parent, `${at.task.id}-${at.stored.round}`);
  // One that an earlier node began and did not finish.
  removeWorktree(folder);
  const { worktree: settings, isShellAllowed } = world.settings();
  const made = await makeWorktree({ repository, folder, head, ...settings, isShellAllowed });
  if (isRefusal(made)) return made;
  const workplace = { kind: 'worktree', folder } as const;
  const failed = await setUp(world, at, { made, workplace });
  if (failed !== null) {
    removeWorktree(folder);
    return failed;
  }
  return { workplace, head };
}

interface SetUp {
  readonly made: Worktree;
  readonly workplace: Workplace;
}

/** In the sandbox, with the rights of the task: what it is set up by comes from the configuration, not from the agent. */
async function setUp(world: RunWorld, at: OrderAtHand, { made, workplace }: SetUp): Promise<Refusal | null> {
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
    };
    const ran = await runCommand(sandbox, request, world.timer);
    if (ran.kind === 'ran' && ran.exitCode === 0) continue;
    const why =
      ran.kind === 'ran'
        ? `ended with ${ran.exitCode ?? ran.signal}: ${ran.stderrTail.trim().slice(-500)}`
        : ran.reason;
    return refuse('E_PROCESS_CRASH', `worktree.setup: ${argv.join(' ')} ${why}`);
  }
  return null;
}
