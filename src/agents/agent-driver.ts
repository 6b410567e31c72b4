import type { DriverName, Provider } from '../domain/agent.ts';
import type { AgentSignal } from '../domain/agent-signal.ts';
import type { Order } from '../domain/order.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { OutputLine } from './sandbox/sandbox.ts';

/** Who an agent is, as far as it can be told without starting it. */
export interface AgentFacts {
  readonly name: string;
  readonly driver: DriverName;
  readonly provider: Provider;
  readonly model: string;
  readonly role: AgentRole;
  /** A program and its arguments, its own files by their full paths; null where the driver knows its program. */
  readonly command: readonly string[] | null;
  /** What of the command lies on disk: files, and folders of programs that are more than one file. */
  readonly ownPaths: readonly string[];
  /** What it reads; null where nothing is said, which means 2.0.2-C. */
  readonly aopVersions: readonly string[] | null;
  /** How long an order may take that does not say it; null or absent where Baton's own default counts. */
  readonly timeoutSeconds?: number | null;
}

/** The four of SAOP (D-G12). */
export type AgentRole = 'researcher' | 'architect' | 'developer' | 'reviewer';

export interface LaunchRequest {
  readonly order: Order;
  /** The TASK as JSON, or the v1 prompt: ready to be handed over. */
  readonly taskText: string;
  readonly agent: AgentFacts;
  /** Where the agent starts. */
  readonly workspace: string;
  readonly isSandboxed: boolean;
}

/** How an agent is started, and what it needs beside what its order grants. */
export interface LaunchPlan {
  readonly argv: readonly string[];
  /** Beside the allow-list and BATON_…. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the user's own environment that are passed on. */
  readonly envNames: readonly string[];
  /** Written, then end of file. */
  readonly stdin: string;
  readonly readPaths: readonly string[];
  readonly writePaths: readonly string[];
  /** Hosts that its own model needs. */
  readonly hosts: readonly string[];
}

/** One run's output, line by line. Nothing throws, whatever the lines. */
export interface OutputReader {
  line(line: OutputLine): readonly AgentSignal[];
  /** Nothing more will come: what was held back because more might have followed. */
  end(): readonly AgentSignal[];
}

/**
 * One way to run agents. A caller may rely on this: planning starts nothing and writes nothing; a reader belongs to
 * one run, keeps a bounded part of its output, and tells what it took from each line in the order it was printed.
 */
export interface AgentDriver {
  readonly name: DriverName;
  /** Its model is reached over the network: without any, the agent cannot work (decisions §1, Policy). */
  readonly hasRemoteModel: boolean;
  plan(request: LaunchRequest): LaunchPlan | Refusal;
  reader(request: LaunchRequest): OutputReader;
}
