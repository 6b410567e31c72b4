import { assertNever } from './assert-never.ts';

export type Provider = 'CLAUDE' | 'CODEX' | 'GEMINI' | 'LOCAL' | 'OTHER';
export type DriverName = 'claude' | 'codex' | 'gemini' | 'opencode' | 'acp' | 'process' | 'demo';

/** Names that mean Baton itself or everybody; no agent may have one (common:agent-names). */
const RESERVED_NAMES: readonly string[] = ['all', 'dispatcher', 'operator', 'filesystem'];

export function isAgentName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name) && !RESERVED_NAMES.includes(name);
}

/** The AOP provider of an agent whose configuration does not name one (common:agent-names). */
export function providerOf(driver: DriverName): Provider {
  switch (driver) {
    case 'claude':
      return 'CLAUDE';
    case 'codex':
      return 'CODEX';
    case 'gemini':
      return 'GEMINI';
    case 'demo':
      return 'LOCAL';
    case 'opencode':
    case 'acp':
    case 'process':
      return 'OTHER';
    default:
      return assertNever(driver);
  }
}

/** The facts about an agent that are known without starting it. */
export interface AgentFacts {
  readonly name: string;
  readonly driver: DriverName;
  readonly provider: Provider;
  readonly model: string;
  /** The model that the configuration names; null or absent for the vendor's default. */
  readonly namedModel?: string | null;
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
  /** Of its program; null or absent if it is not known. */
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
