import type { Sandbox } from '../agents/sandbox/sandbox.ts';
import type { AgentDoor, RunChannel } from '../domain/channel.ts';
import type { SettingsFile } from '../domain/execution/fact.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Logger } from '../platform/logger.ts';
import type { Timer } from '../platform/timer.ts';
import type { ProgressGates } from './attempt/progress-gates.ts';
import type { PlanWorld } from './plan-world.ts';

/** The HTTP server of a node. It need not be open before an agent starts. */
export interface NodeDoor {
  /** Null until it is open. */
  readonly agents: AgentDoor | null;
  open(): Promise<{ readonly agents: AgentDoor }>;
}

/** Everything that the steps of an order use. */
export interface RunWorld extends PlanWorld {
  readonly batonVersion: string;
  readonly ledger: Ledger;
  readonly timer: Timer;
  readonly log: Logger;
  readonly progress: ProgressGates;
  /** Receives a protocol message that an agent printed; resolves with the reason if it is rejected, else null. */
  receive(text: string, channel: RunChannel): Promise<string | null>;
  /** Null if the node does not listen. */
  door(): NodeDoor | null;
  /** Runs a process without a sandbox. */
  readonly open: Sandbox;
  /** The environment of the user who started the node; read by name, never passed on whole. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Baton's configuration files as they are now. */
  settingsFiles(): readonly SettingsFile[];
  /** Ignores commands and rights in a configuration file until the user trusts it again. */
  withdrawTrust(path: string): void;
}
