import type { Conversation } from '../../agents/agent-driver.ts';
import type { AgentRole } from '../../domain/agent/agent.ts';
import type { AgentEndpoint, RunChannel } from '../../domain/task/channel.ts';

/** The HTTP server of a node. It need not be open before an agent starts. */
export interface NodeServer {
  /** Null until it is open. */
  readonly agents: AgentEndpoint | null;
  open(): Promise<{ readonly agents: AgentEndpoint }>;
}

/** How a person is asked about a run while it works. */
export interface Asking {
  /** The reason why no person can be asked; null if one can. */
  whyUnattended(): string | null;
}

/** A run whose trace is made. */
interface TracedRun {
  readonly taskId: string;
  readonly sessionId: string;
  readonly role: AgentRole;
}

/** The ways by which a running agent talks with its node and with people. */
export interface RunTalk {
  /** Adds the turns and events of a trace to the signals of an agent that sends none itself. */
  traced(conversation: Conversation, run: TracedRun): Conversation;
  /** Receives a protocol message that an agent printed; resolves with the reason if it is rejected, else null. */
  receive(text: string, channel: RunChannel): Promise<string | null>;
  /** Null if the node does not listen. */
  server(): NodeServer | null;
  readonly asking: Asking;
}
