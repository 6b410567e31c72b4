import type { AgentFacts, UnreadyAgent } from '../domain/agent/agent.ts';
import type { NoticeKind } from '../domain/notice/notice.ts';
import type { AccessBounds } from '../domain/order/admit-bounds.ts';
import type { OrderSettings, ReviewPolicy } from '../domain/order/order.ts';
import type { EntropyPolicy } from '../domain/trace/detect-entropy.ts';

/** A place that is told of some kinds of news. */
export interface NoticeRule {
  readonly on: readonly NoticeKind[];
  readonly place: 'desktop' | 'bell' | 'command' | 'webhook';
  /** A program and its arguments, or a web address. */
  readonly target: readonly string[];
  /** A file with the secret that signs a webhook's body. */
  readonly secretFile?: string;
}

/** How many tasks run at once. */
export interface Slots {
  /** How many of them each configured agent may run. */
  readonly ofAgent: Readonly<Record<string, number>>;
  readonly inAll: number;
}

/** The configuration of runs at this moment. */
export interface RunSettings extends OrderSettings {
  /** Agents that can be started here. */
  readonly agents: readonly AgentFacts[];
  readonly unready: readonly UnreadyAgent[];
  /** Settings of a file that the user has not trusted yet, by file. */
  readonly withheld: readonly { readonly file: string; readonly keys: readonly string[] }[];
  readonly defaultAgent: string | null;
  readonly checks: readonly string[];
  /** Reached under RESTRICTED, besides the hosts of the agent's own model. */
  readonly hosts: readonly string[];
  /** The paths and network that orders may ask for beside their workspaces. */
  readonly bounds: AccessBounds;
  readonly isShellAllowed: boolean;
  readonly isSandboxDemanded: boolean;
  readonly worktree: { readonly setup: readonly string[]; readonly include: readonly string[] };
  /** Cap of one run; null is no cap. */
  readonly runUsdMax: number | null;
  /** Cap of all runs of a day; null is no cap. */
  readonly dayUsdMax: number | null;
  readonly slots: Slots;
  /** Null or absent: a person reviews. */
  readonly review?: ReviewPolicy | null;
  /** The memory of each process in a sandbox; null leaves it to the machine. */
  readonly memoryBytesMax: number | null;
  readonly eventTypes: Readonly<Record<string, unknown>>;
  /** Absent: the usual actions. */
  readonly entropy?: EntropyPolicy;
  /** Absent: nobody is told. */
  readonly notices?: readonly NoticeRule[];
}
