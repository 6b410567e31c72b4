import { suggestChecks } from '../../checks/suggest-checks.ts';
import type { PlanWorld } from '../../dispatch/run-world.ts';
import type { TakenOrder } from '../../dispatch/take-order.ts';
import { checksOf } from '../../domain/decisions/plan-verification.ts';
import { type Refusal, refuse } from '../../domain/refusal.ts';
import { recentRepositoryStatus } from '../../workspace/repository-status.ts';
import type { OrderPlan } from '../order-contract.ts';
import { titleOf } from './new-task-of-order.ts';

/** What would be done, for somebody who is to agree to it. */
export async function planOf(world: PlanWorld, taken: TakenOrder): Promise<OrderPlan | Refusal> {
  const { order, admitted, isProgram, settings } = taken;
  const status = await recentRepositoryStatus(order.workspaceRoot, world.clock.now().monotonicMs);
  const git = status.kind === 'none' ? null : status;
  const root = git?.root ?? order.workspaceRoot;
  const name = admitted.agent ?? admitted.alternatives.find((each) => each !== null) ?? order.target.agentName;
  const known = world.settings().agents.find((agent) => agent.name === name);
  const { driver = 'process', provider = order.target.provider, model = order.target.model } = known ?? {};
  const sandbox = await world.sandbox();
  const sandboxMissing = 'kind' in sandbox ? sandbox.reason : null;
  const noWorktree = settings.wantsWorktree ? refuseWorktree(order.workspaceRoot, git, sandboxMissing) : null;
  if (noWorktree) return noWorktree;
  const { access } = order;
  return {
    title: titleOf(order.objective),
    isProgram,
    agent: { name, driver, provider, model },
    workspace: order.workspaceRoot,
    git: git && {
      branch: git.branch,
      head: git.head,
      changedFiles: Object.values(git.dirty).reduce((sum, count) => sum + count, 0),
    },
    workplace: workplaceOf(world, taken, root),
    heldBy: settings.wantsWorktree ? null : world.workplaces.holderOf(root),
    readPaths: access.readPaths,
    writePaths: access.writePaths,
    network: access.network,
    hosts: access.network === 'RESTRICTED' ? [...world.settings().hosts, ...settings.hosts] : [],
    sandbox: admitted.sandbox,
    sandboxMissing,
    checks: [...new Set(checksOf(order).map(({ command, path }) => command ?? `${path} is there`))],
    suggestedChecks:
      isProgram || order.checks.length > 0 ? [] : suggestChecks(order.workspaceRoot).map(({ command }) => command),
    timeoutSeconds: order.policy.timeoutSeconds,
    budgetUsd: order.budget.costUsdMax,
    costsMoney: world.drivers[driver]?.hasRemoteModel ?? false,
    warnings: admitted.warnings.filter((warning) => !warning.startsWith('not sandboxed')),
  };
}

/** Who asks for a worktree does not want their own files touched: where there can be none, nothing is begun. */
function refuseWorktree(
  workspace: string,
  git: { readonly head: string | null } | null,
  sandboxMissing: string | null,
): Refusal | null {
  const no = (message: string, hint: string) => ({ ...refuse('invalid_argument', message, '/worktree'), hint });
  if (git === null)
    return no(`${workspace} is not in git, so there is no worktree of it`, 'git init and a commit, or no --worktree');
  if (git.head === null)
    return no(`nothing is committed in ${workspace} yet, so there is no worktree of it`, 'commit, or no --worktree');
  if (sandboxMissing === null) return null;
  return no(`a worktree is shown in a sandbox, and there is none: ${sandboxMissing}`, 'no --worktree; baton doctor');
}

function workplaceOf(
  world: PlanWorld,
  { order, admitted, settings }: TakenOrder,
  root: string,
): OrderPlan['workplace'] {
  if (order.access.writePaths.length === 0) return 'in-place';
  const mayMove = admitted.sandbox !== 'none';
  if (settings.wantsWorktree && mayMove) return 'worktree';
  if (world.workplaces.holderOf(root) === null) return 'in-place';
  return mayMove ? 'worktree' : 'waits';
}
