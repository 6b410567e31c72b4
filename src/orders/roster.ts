import type { AgentDriver, AgentNeeds } from '../agents/agent-driver.ts';
import type { MissingSandbox } from '../agents/sandbox/find-sandbox.ts';
import type { Sandbox } from '../agents/sandbox/sandbox.ts';
import type { AgentFacts, DriverName } from '../domain/agent/agent.ts';
import type { Clock } from '../platform/clock.ts';
import type { DataFolders } from '../platform/files/find-data-folders.ts';
import type { Ids } from '../platform/ids.ts';
import type { Workplaces } from '../work/place/workplaces.ts';
import type { OrderEdge } from './order-edge.ts';
import type { RunSettings } from './run-settings.ts';

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
  /** Learns the versions of agents' programs that the settings do not know yet. */
  askVersions(): Promise<void>;
  /** The data folders in a list of folders, and everything else of Baton that no agent may see. */
  foldersToHide(roots: readonly string[]): Promise<DataFolders>;
  /** The hosts and places that an agent's vendor needs. */
  needsOf(agent: AgentFacts | null, workspace: string): AgentNeeds;
  /** The account that the vendor of an agent counts quota for; null for an agent without a vendor. */
  accountOf(agent: AgentFacts): string | null;
  /** The paths that the sandbox shows for the program of an agent. */
  programPaths(agent: AgentFacts | null): readonly string[];
}
