import type { AgentFacts } from '../domain/agent/agent.ts';
import type { QuotaHold } from '../domain/agent/quota.ts';
import type { Execution } from '../domain/execution/execution.ts';
import { AUTO } from '../domain/order/route-order.ts';
import type { RoutedTask } from '../domain/task/task.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectQuotaHold, selectQuotaHolds } from '../ledger/statements/quota-holds.ts';
import { selectLastFact } from '../ledger/statements/run-facts.ts';
import { isAdmittedAgent } from './admitted-agent.ts';
import type { RunWorld } from './run-world.ts';

type AdmittedAgents = Pick<NonNullable<Execution['admitted']>, 'agents'>;
type AgentWorld = Pick<RunWorld, 'settings' | 'accountOf' | 'ledger' | 'clock'>;

/** An agent as it was configured when its order was admitted. The present configuration counts only where that was not recorded. */
export function agentOfOrder(
  { settings }: Pick<RunWorld, 'settings'>,
  admitted: AdmittedAgents | null,
  name: string | null | undefined,
): AgentFacts | null {
  const { agents } = admitted?.agents ? admitted : settings();
  return agents?.find((agent) => agent.name === name) ?? null;
}

/** Whether this node can start the agent of a task: it is configured, or the order was accepted with it. */
export function canStartAgent(
  { settings, ledger }: Pick<AgentWorld, 'settings' | 'ledger'>,
  task: RoutedTask,
): boolean {
  const { agent } = task;
  return agent === AUTO || Object.hasOwn(settings().slots.ofAgent, agent) || isAdmittedAgent(ledger.read, task);
}

/** The account that the quota of a task's agent is counted for: that of its open order, else of the agent as it is configured. */
export function accountOfTask(world: AgentWorld, { id, agent: name }: RoutedTask): string | null {
  const row = selectOrder(world.ledger.read, id);
  const admitted = row?.isOpen ? selectLastFact(world.ledger.read, row, 'admitted') : null;
  const agent = agentOfOrder(world, admitted, name);
  return agent && world.accountOf(agent);
}

/** The hold on the account of a task's agent; null while its vendor serves it or may be tried. */
export function holdOfTask(world: AgentWorld, task: RoutedTask): QuotaHold | null {
  if (selectQuotaHolds(world.ledger.read).length === 0) return null;
  return holdOfAccount(world, accountOfTask(world, task));
}

/** The hold on the account of an agent; null while its vendor serves it or may be tried. */
export function holdOfAgent(world: AgentWorld, agent: AgentFacts): QuotaHold | null {
  return holdOfAccount(world, world.accountOf(agent));
}

function holdOfAccount({ ledger, clock }: AgentWorld, account: string | null): QuotaHold | null {
  const hold = account === null ? null : selectQuotaHold(ledger.read, account);
  return hold !== null && hold.until > clock.now().wallMs ? hold : null;
}
