import type { AgentFacts } from '../domain/agent/agent.ts';
import type { QuotaHold } from '../domain/agent/quota.ts';
import type { Execution } from '../domain/execution/execution.ts';
import { AUTO } from '../domain/order/route-order.ts';
import type { RoutedTask } from '../domain/task/task.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectOrder } from '../ledger/statements/orders.ts';
import { selectQuotaHold, selectQuotaHolds } from '../ledger/statements/quota-holds.ts';
import { selectLastFact } from '../ledger/statements/run-facts.ts';
import type { Roster } from '../orders/roster.ts';
import type { Clock } from '../platform/clock.ts';
import { isAdmittedAgent } from './admitted-agent.ts';

type AdmittedAgents = Pick<NonNullable<Execution['admitted']>, 'agents'>;

interface QuotaParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly roster: Pick<Roster, 'settings' | 'accountOf'>;
}

/** The accounts that vendors count quota for, and the holds on those that are used up. */
export interface QuotaHolds {
  /** The account of a task's agent, as its order has it; null for one that is not ready or has no vendor. */
  accountOfTask(task: RoutedTask): string | null;
  /** The hold on that account; null if its vendor serves it, or may be tried. */
  holdOfTask(task: RoutedTask): QuotaHold | null;
  /** The hold on the account of an agent; null if its vendor serves it, or may be tried. */
  holdOf(agent: AgentFacts): QuotaHold | null;
}

export function quotaHoldsOf(parts: QuotaParts): QuotaHolds {
  return {
    accountOfTask: (task) => accountOfTask(parts, task),
    holdOfTask: (task) => holdOfTask(parts, task),
    holdOf: (agent) => holdOfAccount(parts, parts.roster.accountOf(agent)),
  };
}

/** An agent as it was configured when its order was admitted. The present configuration counts only where that was not recorded. */
export function agentOfOrder(
  { settings }: Pick<Roster, 'settings'>,
  admitted: AdmittedAgents | null,
  name: string | null | undefined,
): AgentFacts | null {
  const { agents } = admitted?.agents ? admitted : settings();
  return agents?.find((agent) => agent.name === name) ?? null;
}

/** Whether this node can start the agent of a task: it is configured, or the order was accepted with it. */
export function canStartAgent({ roster, ledger }: Pick<QuotaParts, 'roster' | 'ledger'>, task: RoutedTask): boolean {
  const { agent } = task;
  return agent === AUTO || Object.hasOwn(roster.settings().slots.ofAgent, agent) || isAdmittedAgent(ledger.read, task);
}

/** The account that the quota of a task's agent is counted for: that of its open order, else of the agent as it is configured. */
export function accountOfTask(world: QuotaParts, { id, agent: name }: RoutedTask): string | null {
  const row = selectOrder(world.ledger.read, id);
  const admitted = row?.isOpen ? selectLastFact(world.ledger.read, row, 'admitted') : null;
  const agent = agentOfOrder(world.roster, admitted, name);
  return agent && world.roster.accountOf(agent);
}

/** The hold on the account of a task's agent; null while its vendor serves it or may be tried. */
export function holdOfTask(world: QuotaParts, task: RoutedTask): QuotaHold | null {
  if (selectQuotaHolds(world.ledger.read).length === 0) return null;
  return holdOfAccount(world, accountOfTask(world, task));
}

function holdOfAccount({ ledger, clock }: QuotaParts, account: string | null): QuotaHold | null {
  const hold = account === null ? null : selectQuotaHold(ledger.read, account);
  return hold !== null && hold.until > clock.now().wallMs ? hold : null;
}
