export type Provider = 'CLAUDE' | 'CODEX' | 'GEMINI' | 'LOCAL' | 'OTHER';

interface DriverFacts {
  /** The AOP provider of an agent whose configuration does not name one (common:agent-names). */
  readonly provider: Provider;
  /** Its agents are all of one vendor. */
  readonly hasVendor: boolean;
}

const FACTS = {
  claude: { provider: 'CLAUDE', hasVendor: true },
  codex: { provider: 'CODEX', hasVendor: true },
  gemini: { provider: 'GEMINI', hasVendor: true },
  opencode: { provider: 'OTHER', hasVendor: true },
  acp: { provider: 'OTHER', hasVendor: false },
  process: { provider: 'OTHER', hasVendor: false },
  demo: { provider: 'LOCAL', hasVendor: false },
} as const satisfies Readonly<Record<string, DriverFacts>>;

export type DriverName = keyof typeof FACTS;

export const DRIVER_NAMES = Object.keys(FACTS) as DriverName[];

export function providerOf(driver: DriverName): Provider {
  return FACTS[driver].provider;
}

/** Programs and ACP agents are of vendors that Baton does not know. */
export function hasVendor(driver: DriverName): boolean {
  return FACTS[driver].hasVendor;
}

/** Names that mean Baton itself or everybody; no agent may have one (common:agent-names). */
const RESERVED_NAMES: readonly string[] = ['all', 'dispatcher', 'operator', 'filesystem'];

export function isAgentName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name) && !RESERVED_NAMES.includes(name);
}

/** The facts about an agent that are known without starting it. */
export interface AgentFacts {
  readonly name: string;
  readonly driver: DriverName;
  readonly provider: Provider;
  readonly model: string;
  /** The model that the configuration names; null or absent for the vendor's default. */
  readonly namedModel?: string | null;
  /** The vendor's default, where the vendor's own settings name it. */
  readonly vendorModel?: string;
  readonly role: AgentRole;
  /** A program and its arguments, its own files by their full paths; null where the driver knows its program. */
  readonly command: readonly string[] | null;
  /** The files of the command, and the folders of programs that consist of several files. */
  readonly ownPaths: readonly string[];
  /** Variables of the user that are passed on to it, by name; absent for none. */
  readonly env?: readonly string[];
  /** Hosts that it needs, as network words; absent for none. */
  readonly hosts?: readonly string[];
  /** Places outside of the workspace that it may write; absent for none. */
  readonly writes?: readonly string[];
  /** The media types that it reviews; absent for those of text. */
  readonly mediaTypes?: readonly string[];
  /** The version of its program; null or absent if it is not known. */
  readonly version?: string | null;
  /** The versions of its protocol that it reads; null where it does not say. */
  readonly versionsRead: readonly string[] | null;
  /** For an order that sets no timeout; null or absent for Baton's default. */
  readonly timeoutSeconds?: number | null;
}

/** The four roles of SAOP (common:agent-names). */
export type AgentRole = 'researcher' | 'architect' | 'developer' | 'reviewer';

/** An agent that is configured and not ready, or the agent of a vendor whose program is not installed. */
export interface UnreadyAgent {
  readonly name: string;
  /** The reason; of an absent one the command that installs it. */
  readonly missing: string;
  readonly isAbsent?: boolean;
  /** A configuration file names it that the user has not trusted. */
  readonly isUntrusted?: boolean;
}
