import type { AgentDriver, AgentNeeds } from '../agents/agent-driver.ts';
import type { AgentFacts, DriverName } from '../domain/agent/agent.ts';
import type { RunSettings } from './run-settings.ts';

/** The agents of a machine, and the settings that they run with. */
export interface Roster {
  settings(): RunSettings;
  readonly drivers: Readonly<Partial<Record<DriverName, AgentDriver>>>;
  /** Learns the versions of agents' programs that the settings do not know yet. */
  askVersions(): Promise<void>;
  /** The hosts and places that an agent's vendor needs. */
  needsOf(agent: AgentFacts | null, workspace: string): AgentNeeds;
  /** The account that the vendor of an agent counts quota for; null for an agent without a vendor. */
  accountOf(agent: AgentFacts): string | null;
  /** The paths that the sandbox shows for the program of an agent. */
  programPaths(agent: AgentFacts | null): readonly string[];
  /** The hosts behind the names of network presets. */
  hostsOf(presets: readonly string[]): readonly string[];
}
