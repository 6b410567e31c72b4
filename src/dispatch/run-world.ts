import type { Sandbox } from '../agents/sandbox/sandbox.ts';
import type { AgentDoor, RunChannel } from '../domain/channel.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Logger } from '../platform/logger.ts';
import type { Timer } from '../platform/timer.ts';
import type { ProgressGates } from './attempt/progress-gates.ts';
import type { PlanWorld } from './plan-world.ts';

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
