import type { Conversation } from '../../agents/agent-driver.ts';
import type { AgentRole } from '../../domain/agent/agent.ts';
import type { AgentMail } from '../../domain/agent/agent-mail.ts';
import type { AgentEndpoint, RunChannel, RunHolder } from '../../domain/task/channel.ts';

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

/** Messages of other agents on their way into the session of a run, each once (Runtime §3.3). */
interface RunMail {
  /** They belong to this run from then on. */
  take(run: RunHolder, by: 'prompt' | 'stream'): Promise<readonly AgentMail[]>;
  /** The run could not be told after all: they wait for the next one. */
  putBack(run: RunHolder, mail: readonly AgentMail[]): Promise<void>;
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
  readonly mail: RunMail;
}
