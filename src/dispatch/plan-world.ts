import type { AgentDriver, AgentNeeds } from '../agents/agent-driver.ts';
import type { MissingSandbox } from '../agents/sandbox/find-sandbox.ts';
import type { Sandbox } from '../agents/sandbox/sandbox.ts';
import type { AgentFacts, DriverName, UnreadyAgent } from '../domain/agent.ts';
import type { AccessBounds } from '../domain/decisions/admit-bounds.ts';
import type { Clock } from '../platform/clock.ts';
import type { DataFolders } from '../platform/find-data-folders.ts';
import type { Ids } from '../platform/ids.ts';
import type { OrderEdge } from './order-edge.ts';
import type { Slots } from './plan-tick.ts';
import type { Workplaces } from './workplace/workplaces.ts';

/** The configuration of runs at this moment. */
export interface RunSettings {
  /** The ones that can be started here. */
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
  readonly slots: Slots;
  /** Of each process in a sandbox; null leaves it to the machine. */
  readonly memoryBytesMax: number | null;
}

/** Everything that a plan is made from. Planning changes nothing. */
export interface PlanWorld {
  readonly ids: Ids;
  readonly edge: OrderEdge;
  /** The hosts behind the names of network presets. */
  hostsOf(presets: readonly string[]): readonly string[];
  readonly dataFolder: string;
  /** The homes of the user who started the node. */
  readonly homes: readonly string[];
  readonly clock: Clock;
  readonly workplaces: Workplaces;
  readonly drivers: Readonly<Partial<Record<DriverName, AgentDriver>>>;
  /** Tried once, when it is first needed. */
  sandbox(): Promise<Sandbox | MissingSandbox>;
  settings(): RunSettings;
  /** The data folders in a list of folders, and everything else of Baton that no agent may see. */
  foldersToHide(roots: readonly string[]): Promise<DataFolders>;
  /** The hosts and places that an agent's vendor needs. */
  needsOf(agent: AgentFacts | null, workspace: string): AgentNeeds;
  /** The paths that the sandbox shows for the program of an agent. */
  programPaths(agent: AgentFacts | null): readonly string[];
}
