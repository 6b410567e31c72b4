import type { OrderPlan } from '../../api/order-contract.ts';
import { durationText } from './duration-text.ts';
import type { Look } from './look.ts';
import { visible } from './visible.ts';

/** What is about to be done, in four lines: what, who and where, what it may touch, how it is checked and capped. */
export function planText(plan: OrderPlan, look: Look, task: string | null = null): string {
  const label = (text: string) => look.faint(text.padEnd(6));
  return [
    `${label('task')} ${task === null ? '' : `${look.strong(task)}  `}${visible(plan.title)}`,
    `${label('agent')} ${look.strong(visible(plan.agent.name))} (${modelOf(plan)}) ${placeOf(plan)}`,
    `${label('may')} ${touchOf(plan, look)}`,
    `${label('checks')} ${checksOf(plan, look)}; ${capsOf(plan)}`,
    ...plan.warnings.map((warning) => `${label('note')} ${look.open(visible(warning))}`),
  ].join('\n');
}

function modelOf({ agent }: OrderPlan): string {
  return agent.driver === agent.model ? agent.driver : `${agent.driver}, ${visible(agent.model)}`;
}

function placeOf({ workspace, git, workplace }: OrderPlan): string {
  const where = { 'in-place': 'in', worktree: 'in a worktree of', waits: 'waits for another run in' }[workplace];
  const state = git === null ? 'no git' : `${visible(git.branch ?? 'no branch')}, ${dirtyText(git.changedFiles)}`;
  return `${where} ${visible(workspace)} (${state})`;
}

function dirtyText(changed: number): string {
  if (changed === 0) return 'clean';
  return changed === 1 ? '1 file changed' : `${changed} files changed`;
}

function touchOf({ writePaths, network, hosts, sandbox }: OrderPlan, look: Look): string {
  const write = writePaths.length === 0 ? 'write nothing' : `write ${writePaths.map(visible).join(', ')}`;
  const reach = hosts.length === 0 ? networkText(network) : `reach ${hosts.map(visible).join(', ')}`;
  const held = sandbox === 'none' ? look.bad('not sandboxed') : 'in a sandbox';
  return `${write}; ${reach}; ${held}`;
}

function networkText(network: string): string {
  return network === 'FULL' ? 'reach the whole network' : 'no network';
}

function checksOf({ checks }: OrderPlan, look: Look): string {
  return checks.length === 0 ? look.open('none: the work will be unchecked') : checks.map(visible).join(', ');
}

function capsOf({ timeoutSeconds, budgetUsd, costsMoney }: OrderPlan): string {
  const money = budgetUsd === null ? (costsMoney ? 'no cap on money' : 'costs nothing') : `at most $${budgetUsd}`;
  return `at most ${durationText(timeoutSeconds * 1_000)}, ${money}`;
}
