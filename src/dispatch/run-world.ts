import type { AgentDriver, AgentFacts } from '../agents/agent-driver.ts';
import type { MissingSandbox } from '../agents/sandbox/find-sandbox.ts';
import type { Sandbox } from '../agents/sandbox/sandbox.ts';
import type { DriverName, UnreadyAgent } from '../domain/agent.ts';
import type { AgentDoor, RunChannel } from '../domain/channel.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Timer } from '../platform/timer.ts';
import type { ProgressGates } from './attempt/progress-gates.ts';
import type { Hands } from './plan-tick.ts';
import type { Workplaces } from './workplaces.ts';

/** What the configuration says about runs, at this moment. */
export interface RunSettings {
  /** Those that can be started here. */
  readonly agents: readonly AgentFacts[];
  readonly unready: readonly UnreadyAgent[];
  readonly defaultAgent: string | null;
  readonly checks: readonly string[];
  /** What RESTRICTED reaches beside the agent's own model. */
  readonly hosts: readonly string[];
  readonly isShellAllowed: boolean;
  readonly isSandboxDemanded: boolean;
  readonly worktree: { readonly setup: readonly string[]; readonly include: readonly string[] };
  /** At most so much a run; null is no cap. */
  readonly runUsdMax: number | null;
  readonly hands: Hands;
  /** Of each process in a sandbox; null leaves it to the machine. */
  readonly memoryBytesMax: number | null;
}

/** What a plan is made from: nothing in it changes anything. */
export interface PlanWorld {
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly workplaces: Workplaces;
  readonly drivers: Readonly<Partial<Record<DriverName, AgentDriver>>>;
  /** Tried once, when it is first needed. */
  sandbox(): Promise<Sandbox | MissingSandbox>;
  settings(): RunSettings;
}

/** All that the steps of an order need of the world around them. */
export interface RunWorld extends PlanWorld {
  readonly batonVersion: string;
  readonly ledger: Ledger;
  readonly timer: Timer;
  readonly log: Logger;
  readonly progress: ProgressGates;
  /** Receives a protocol message that an agent printed; resolves with the reason where it is not accepted, else null. */
  receive(text: string, channel: RunChannel): Promise<string | null>;
  /** Null in a node that nobody can talk to. */
  agentDoor(): AgentDoor | null;
  /** Starts and watches, and holds nobody to anything. */
  readonly open: Sandbox;
  /** Of the person who started the node; read by name, never passed on whole. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}
