import type { AgentDriver, AgentFacts } from '../agents/agent-driver.ts';
import type { MissingSandbox } from '../agents/sandbox/find-sandbox.ts';
import type { Sandbox } from '../agents/sandbox/sandbox.ts';
import type { DriverName, UnreadyAgent } from '../domain/agent.ts';
import type { OrderReading, OrderTerms } from '../domain/decisions/decide-order.ts';
import type { VersionFallback } from '../domain/execution/fact.ts';
import type { Order, Provenance } from '../domain/order.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import type { Hands } from './plan-tick.ts';
import type { Workplaces } from './workplaces.ts';

/** The configuration of runs at this moment. */
export interface RunSettings {
  /** The ones that can be started here. */
  readonly agents: readonly AgentFacts[];
  readonly unready: readonly UnreadyAgent[];
  readonly defaultAgent: string | null;
  readonly checks: readonly string[];
  /** Reached under RESTRICTED, besides the hosts of the agent's own model. */
  readonly hosts: readonly string[];
  readonly isShellAllowed: boolean;
  readonly isSandboxDemanded: boolean;
  readonly worktree: { readonly setup: readonly string[]; readonly include: readonly string[] };
  /** Cap of one run; null is no cap. */
  readonly runUsdMax: number | null;
  readonly hands: Hands;
  /** Of each process in a sandbox; null leaves it to the machine. */
  readonly memoryBytesMax: number | null;
}

/** The protocols that orders are written in, as far as the kernel needs them; the composition root hands them in. */
export interface OrderEdge {
  readOrder(text: string, terms: OrderTerms): OrderReading | Refusal;
  /** The notice for the sender of an order whose agent does not read its version; null where it does. */
  noteLackingV2(order: {
    readonly order: Order;
    readonly provenance: Provenance;
    readonly agent: AgentFacts | undefined;
    readonly atMs: number;
  }): VersionFallback | null;
}

/** Everything that a plan is made from. Planning changes nothing. */
export interface PlanWorld {
  readonly ids: Ids;
  readonly edge: OrderEdge;
  /** The hosts behind the names of network presets. */
  hostsOf(presets: readonly string[]): readonly string[];
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly workplaces: Workplaces;
  readonly drivers: Readonly<Partial<Record<DriverName, AgentDriver>>>;
  /** Tried once, when it is first needed. */
  sandbox(): Promise<Sandbox | MissingSandbox>;
  settings(): RunSettings;
}
