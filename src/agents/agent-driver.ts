import type { AgentFacts, DriverName } from '../domain/agent.ts';
import type { AgentSignal } from '../domain/agent-signal.ts';
import type { Prompt } from '../domain/prompt.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Grant, OutputLine } from './sandbox/sandbox.ts';

export interface LaunchRequest {
  readonly prompt: Prompt;
  readonly agent: AgentFacts;
  /** The working directory of the agent. */
  readonly workspace: string;
  /** The paths and hosts that the process may touch, besides those of the plan. */
  readonly grant: Grant;
  readonly isSandboxed: boolean;
}

/** How an agent is started, and what it needs besides its grant. */
export interface LaunchPlan {
  readonly argv: readonly string[];
  /** Added to the allow-list and BATON_…. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the user's environment that are passed on. */
  readonly envNames: readonly string[];
  /** Written, then end of file. */
  readonly stdin: string;
  readonly readPaths: readonly string[];
  readonly writePaths: readonly string[];
  /** Hosts that the agent's model needs. */
  readonly hosts: readonly string[];
}

/** Reads the output of one run, line by line. Nothing throws, whatever the lines. */
export interface OutputReader {
  line(line: OutputLine): readonly AgentSignal[];
  /** The output is complete: signals that were held back for further lines. */
  end(): readonly AgentSignal[];
}

/**
 * One kind of agent. A caller may rely on this: planning starts nothing and writes nothing; a reader belongs to one run,
 * buffers a bounded part of its output, and returns the signals of each line in the order it was printed.
 */
export interface AgentDriver {
  readonly name: DriverName;
  /** Its model is reached over the network: without any, the agent cannot work (aop:network). */
  readonly hasRemoteModel: boolean;
  /** The files of the driver's own program, where it has one. */
  readonly ownPaths?: readonly string[];
  plan(request: LaunchRequest): LaunchPlan | Refusal;
  reader(request: LaunchRequest): OutputReader;
}
