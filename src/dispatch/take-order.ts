import type { Fact } from '../domain/execution/fact.ts';
import type { Order } from '../domain/order.ts';
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts';
import { delegationDepth } from '../domain/task.ts';
import { type OrderSettings, selectOrderedTask } from '../ledger/statements/orders.ts';
import { selectTask } from '../ledger/statements/select-task.ts';
import type { Reader } from '../ledger/tx.ts';
import type { Ids } from '../platform/ids.ts';
import { orderOfTask } from '../protocols/aop/order-of-task.ts';
import { type ReadOrder, readOrder } from '../protocols/aop/read-order.ts';
import type { TaskMessage } from '../protocols/aop/schema/task.ts';
import { withBounds } from '../protocols/aop/task-of-words.ts';
import type { PlanWorld, RunSettings } from './run-world.ts';
import { admitStep } from './steps/admit-step.ts';

/** What somebody wants done, as it came in. */
export interface WantedOrder {
  readonly text: string;
  readonly workspace: string;
  readonly agent: string | null;
  readonly checks: readonly string[];
  readonly timeoutSeconds: number | null;
  readonly budgetUsd: number | null;
  readonly hosts: readonly string[];
  readonly wantsWorktree: boolean;
  readonly origin: string;
}

/** An order that may be carried out here. */
export interface TakenOrder {
  readonly message: TaskMessage;
  readonly order: Order;
  readonly isProgram: boolean;
  readonly settings: OrderSettings;
  readonly depth: number;
  readonly admitted: Extract<Fact, { readonly kind: 'admitted' }>;
}

/** Reads what is wanted and looks whether it may be done. Nothing is changed by it. */
export async function takeOrder(
  world: PlanWorld,
  wanted: WantedOrder,
  { ids, read: ledger }: { readonly ids: Ids; readonly read: Reader | null },
): Promise<TakenOrder | Refusal> {
  const configured = world.settings();
  const read = readOrder(wanted.text, surroundings(world, wanted, { configured, ids }));
  if (isRefusal(read)) return read;
  const unnamed = read.isProgram ? null : refuseNobody(wanted, configured);
  if (unnamed) return unnamed;
  const message = withBounds(namedAgent(read.task, wanted.agent), boundsOf(wanted, configured));
  const settings = settingsOf(wanted, read, configured);
  const order = orderOf(message, settings, configured);
  const depth = depthOf(ledger, order);
  const warnings = read.warnings.map(({ code, path, message: text }) => `${code}: ${path} ${text}`.trim());
  const admitted = await admitStep(world, { order, settings: configured, depth, warnings });
  if (isRefusal(admitted)) return admitted;
  const told = read.fallback === null ? admitted : { ...admitted, message: read.fallback };
  return { message, order, isProgram: read.isProgram, settings, depth, admitted: told };
}

/** The order that a stored TASK comes to. */
export function orderOf(message: TaskMessage, settings: OrderSettings, configured: RunSettings): Order {
  return orderOfTask(message, {
    checks: settings.checks,
    isFallback: settings.isFallback,
    isSandboxDemanded: configured.isSandboxDemanded,
  });
}

interface Around {
  readonly configured: RunSettings;
  readonly ids: Ids;
}

const NOBODY = { name: 'unnamed', provider: 'OTHER', model: 'unknown' } as const;

function surroundings({ clock }: PlanWorld, wanted: WantedOrder, { configured, ids }: Around) {
  const id = ids.ulid();
  const name = chosenAgent(wanted, configured);
  return {
    sessionId: `ses_${id}`,
    taskId: `aop_${id}`,
    createdAt: new Date(clock.now().wallMs).toISOString(),
    workspaceRoot: wanted.workspace,
    agent: configured.agents.find((agent) => agent.name === name) ?? { ...NOBODY, name: name ?? NOBODY.name },
    origin: wanted.origin,
  };
}

/** Named, else the default, else the only one there is: never silently the one without a model. */
function chosenAgent({ agent }: WantedOrder, { agents, defaultAgent }: RunSettings): string | null {
  if (agent ?? defaultAgent) return agent ?? defaultAgent;
  const real = agents.filter(({ driver }) => driver !== 'demo');
  return real.length === 1 ? (real[0]?.name ?? null) : null;
}

function refuseNobody(wanted: WantedOrder, configured: RunSettings): Refusal | null {
  if (chosenAgent(wanted, configured) !== null) return null;
  const { agents } = configured;
  const message = agents.length > 1 ? 'which agent? several are ready' : 'no agent is set up';
  const refusal = refuse('E_AGENT_NOT_FOUND', message, '/target/agent_name');
  const hint = '--agent NAME, or baton config set default_agent NAME; --agent demo needs no model';
  return { ...refusal, hint, details: agents.map(({ name, driver, model }) => `${name}: ${driver}, ${model}`) };
}

function namedAgent(task: TaskMessage, agent: string | null): TaskMessage {
  return agent === null ? task : { ...task, target: { ...task.target, agent_name: agent } };
}

function boundsOf({ timeoutSeconds, budgetUsd }: WantedOrder, { runUsdMax }: RunSettings) {
  const caps = [budgetUsd, runUsdMax].filter((cap) => cap !== null);
  return {
    ...(timeoutSeconds !== null && { timeoutSeconds }),
    ...(caps.length > 0 && { budgetUsd: Math.min(...caps) }),
  };
}

/** The configuration's checks are for plain words; a program's order says itself how it is verified. */
function settingsOf(wanted: WantedOrder, { isProgram, fallback }: ReadOrder, configured: RunSettings): OrderSettings {
  const usual = isProgram ? [] : configured.checks;
  return {
    checks: wanted.checks.length > 0 ? wanted.checks : usual,
    isFallback: fallback !== null,
    wantsWorktree: wanted.wantsWorktree,
    hosts: wanted.hosts,
  };
}

/** One more than the task it was handed down from. */
function depthOf(ledger: Reader | null, { sessionId, parentTaskId }: Order): number {
  if (ledger === null || parentTaskId === null) return 0;
  const parent = selectOrderedTask(ledger, sessionId, parentTaskId);
  const task = parent === null ? null : selectTask(ledger, parent);
  return task === null ? 0 : delegationDepth(task) + 1;
}
