import { suggestChecks } from '../../checks/suggest-checks.ts';
import type { PlanWorld } from '../../dispatch/run-world.ts';
import type { TakenOrder } from '../../dispatch/take-order.ts';
import { checksOf } from '../../domain/decisions/plan-verification.ts';
import { lookAtRepository } from '../../workspace/look-at-repository.ts';
import type { OrderPlan } from '../order-contract.ts';
import { titleOf } from './new-task-of-order.ts';

/** What would be done, for somebody who is to agree to it. */
export async function planOf(world: PlanWorld, taken: TakenOrder): Promise<OrderPlan> {
  const { order, admitted, isProgram, settings } = taken;
  const look = await lookAtRepository(order.workspaceRoot);
  const git = look.kind === 'none' ? null : look;
  const root = git?.root ?? order.workspaceRoot;
  const name = admitted.agent ?? admitted.alternatives.find((each) => each !== null) ?? order.target.agentName;
  const known = world.settings().agents.find((agent) => agent.name === name);
  const { driver = 'process', provider = order.target.provider, model = order.target.model } = known ?? {};
  const sandbox = await world.sandbox();
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
    sandboxMissing: 'kind' in sandbox ? sandbox.reason : null,
    checks: [...new Set(checksOf(order).map(({ command, path }) => command ?? `${path} is there`))],
    suggestedChecks:
      isProgram || order.checks.length > 0 ? [] : suggestChecks(order.workspaceRoot).map(({ command }) => command),
    timeoutSeconds: order.policy.timeoutSeconds,
    budgetUsd: order.budget.costUsdMax,
    costsMoney: world.drivers[driver]?.hasRemoteModel ?? false,
    warnings: admitted.warnings.filter((warning) => !warning.startsWith('not sandboxed')),
  };
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
