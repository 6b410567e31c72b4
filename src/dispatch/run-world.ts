import type { Conversation } from '../agents/agent-driver.ts';
import type { Sandbox } from '../agents/sandbox/sandbox.ts';
import type { AgentFacts, AgentRole } from '../domain/agent/agent.ts';
import type { QuotaHold } from '../domain/agent/quota.ts';
import type { SettingsFile } from '../domain/execution/findings.ts';
import type { AgentEndpoint, RunChannel } from '../domain/task/channel.ts';
import type { RoutedTask, TaskName } from '../domain/task/task.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PlanWorld } from '../orders/roster.ts';
import type { RemoteEdge } from '../orders/sent-order-edge.ts';
import type { Logger } from '../platform/logger.ts';
import type { Timer } from '../platform/timer.ts';
import type { OverlapRadar } from '../work/overlap-radar.ts';
import type { DaySpend } from './attempt/day-spend.ts';
import type { ProgressGates } from './attempt/progress-gates.ts';
import type { RunActivities } from './attempt/run-activities.ts';

/** The HTTP server of a node. It need not be open before an agent starts. */
export interface NodeServer {
  /** Null until it is open. */
  readonly agents: AgentEndpoint | null;
  open(): Promise<{ readonly agents: AgentEndpoint }>;
}

/** How a person is asked about a run while it works. */
export interface Asking {
  /** The reason why no person can be asked; null if one can. */
  whyUnattended(): string | null;
}

/** A run whose trace is made. */
export interface TracedRun {
  readonly taskId: string;
  readonly sessionId: string;
  readonly role: AgentRole;
}

/** The folder of a task that its agent sees: inputs/, and work/ and outputs/ to write to. */
export interface TaskFolder {
  /** Absolute. */
  readonly root: string;
  /** The names of files and folders in inputs/. */
  readonly inputs: readonly string[];
}

/** Everything that the steps of an order use. */
export interface RunWorld extends PlanWorld {
  readonly batonVersion: string;
  readonly ledger: Ledger;
  readonly timer: Timer;
  readonly log: Logger;
  readonly progress: ProgressGates;
  readonly activities: RunActivities;
  readonly daySpend: DaySpend;
  readonly overlaps: OverlapRadar;
  /** The time that nodes of this folder were awake. */
  readonly awake: { nowMs(): number; count(): Promise<void>; rest(): void };
  readonly asking: Asking;
  /** Adds the turns and events of a trace to the signals of an agent that sends none itself. */
  traced(conversation: Conversation, run: TracedRun): Conversation;
  /** Receives a protocol message that an agent printed; resolves with the reason if it is rejected, else null. */
  receive(text: string, channel: RunChannel): Promise<string | null>;
  /** The account of a task's agent, as its order has it; null for one that is not ready or has no vendor. */
  accountOfTask(task: RoutedTask): string | null;
  /** The hold on that account; null if its vendor serves it, or may be tried. */
  holdOfTask(task: RoutedTask): QuotaHold | null;
  /** The hold on the account of an agent; null if its vendor serves it, or may be tried. */
  holdOf(agent: AgentFacts): QuotaHold | null;
  /** Orders that other nodes run. */
  readonly remote: RemoteEdge;
  /** An order is reported whose work another agent may have to review. */
  reviewDue(): void;
  /** Null if the node does not listen. */
  server(): NodeServer | null;
  readonly taskFolders: {
    /** Null where the folder cannot be made. */
    open(task: TaskName): Promise<TaskFolder | null>;
    /** Removes it if it is empty. */
    close(task: TaskName): void;
  };
  /** Runs a process without a sandbox. */
  readonly open: Sandbox;
  /** The environment of the user who started the node; read by name, never passed on whole. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Baton's configuration files as they are now. */
  settingsFiles(): readonly SettingsFile[];
  /** Ignores commands and rights in a configuration file until the user trusts it again. */
  withdrawTrust(path: string): void;
}
