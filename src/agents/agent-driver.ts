import type { AgentFacts, DriverName } from '../domain/agent/agent.ts';
import type { AgentSignal } from '../domain/agent/agent-signal.ts';
import type { Target } from '../domain/order/order.ts';
import type { Prompt } from '../domain/order/prompt.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Grant, OutputLine } from './sandbox/sandbox.ts';

export interface Launch {
  readonly prompt: Prompt;
  readonly agent: AgentFacts;
  /** The working directory of the agent. */
  readonly workspace: string;
  /** The paths and hosts that the process may touch, besides those of the plan. */
  readonly grant: Grant;
  readonly isSandboxed: boolean;
  /** The environment of the user, in which a vendor's settings are found. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The vendor's session to continue; null to begin one. */
  readonly resume: string | null;
  /** The session is continued in a copy, where the vendor can: it stays as it is for whoever goes back to it. */
  readonly forks?: boolean;
  /** Spend that earlier runs in the resumed session were counted with; absent where it begins one. */
  readonly spentInSession?: VendorSessionSpend;
  /** The most that this process may spend, for a program that can be told; null or absent is no cap. */
  readonly usdMax?: number | null;
  /** How much effort the order asks for; null or absent where it does not say. */
  readonly profile?: Target['profile'];
  /** Nobody answers questions of the agent; absent without an order. */
  readonly isHeadless?: boolean;
}

/** Some vendors report totals of a session, earlier runs included. */
export interface VendorSessionSpend {
  readonly costUsd: number;
  readonly tokensInput: number;
  readonly tokensOutput: number;
}

/** The hosts of an agent's model, and the places of its vendor in the user's home, by the names that its program uses. */
export interface AgentNeeds {
  readonly hosts: readonly string[];
  readonly readPaths: readonly string[];
  readonly writePaths: readonly string[];
  /** Empty writable folders of the sandbox, gone with the process; granted paths below them are shown. */
  readonly privatePaths: readonly string[];
  /** Sentences about files of the repository that its program obeys; absent if there are none. */
  readonly notes?: readonly string[];
}

export const NEEDS_NOTHING: AgentNeeds = { hosts: [], readPaths: [], writePaths: [], privatePaths: [] };

/** How an agent is started, and which files its command needs besides its grant. */
export interface LaunchPlan {
  readonly argv: readonly string[];
  /** Added to the allow-list and BATON_…. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the user's environment that are passed on. */
  readonly envNames: readonly string[];
  /** Written when the process starts. */
  readonly stdin: string;
  /** Stdin stays open after that, until a reply of the conversation closes it. */
  readonly keepsStdinOpen?: boolean;
  readonly readPaths: readonly string[];
}

/** Something that reaches the conversation with a running agent. */
export type ConversationInput =
  | { readonly kind: 'line'; readonly line: OutputLine }
  /** A person's words for the agent. */
  | { readonly kind: 'words'; readonly text: string }
  /** The answer to a question that the agent asked: one of its options. */
  | { readonly kind: 'answer'; readonly question: string; readonly option: string }
  /** The agent is to leave off its work in order. */
  | { readonly kind: 'interrupt' };

export interface Reply {
  readonly signals: readonly AgentSignal[];
  /** For the agent's stdin; null if the agent is told nothing. */
  readonly write: string | null;
  /** Nothing more will be written: stdin is closed. */
  readonly isLast: boolean;
}

/** The conversation with one run: turns each line of output into signals and replies. Its methods never throw. */
export interface Conversation {
  hear(heard: ConversationInput): Reply;
  /** The output is complete: signals that were held back for further lines. */
  end(): readonly AgentSignal[];
}

/** Reads the output of one run, line by line. Nothing throws, whatever the lines. */
export interface OutputReader {
  line(line: OutputLine): readonly AgentSignal[];
  end(): readonly AgentSignal[];
}

/** The abilities of an agent of this kind, beside its work. */
export interface DriverAbilities {
  /** Hears words while it works. */
  readonly say: boolean;
  /** Continues an earlier session of its vendor. */
  readonly resume: boolean;
  /** Asks before it does what its policy does not allow. */
  readonly askPermission: boolean;
  readonly usage: 'live' | 'end' | 'none';
  readonly thoughts: boolean;
}

/**
 * One kind of agent. A caller may rely on this: planning starts nothing and writes nothing; a conversation belongs to one
 * run, buffers a bounded part of its output, and returns the signals of each line in the order it was printed.
 */
export interface AgentDriver {
  readonly name: DriverName;
  /** The vendor's program: an agent of this name exists wherever it is on the PATH. */
  readonly program?: string;
  readonly can: DriverAbilities;
  /** Its program sends turns and events of its trace itself; for other agents they are made from their signals. */
  readonly tracesItself?: boolean;
  /** Its model is reached over the network: without any, the agent cannot work (aop:network). */
  readonly hasRemoteModel: boolean;
  /** Hosts of its vendor's statistics, which no setting of a launch turns off: the sandbox refuses them without a word. */
  readonly statisticsHosts?: readonly string[];
  /** Domain that its program asks for plugins when it starts: until it prints something, the sandbox refuses it without a word. */
  readonly pluginDomain?: string;
  /** It reports tokens only, so no cap on money can stop it. */
  readonly reportsNoCost?: boolean;
  /** The files of the driver's own program, where it has one. */
  readonly ownPaths?: readonly string[];
  /** Looks at the vendor's settings; absent where a program brings no vendor. */
  needs?(place: Pick<Launch, 'workspace' | 'variables' | 'agent'>): AgentNeeds;
  /**
   * Whether the vendor's own files and variables hold a login, found without asking the vendor: false if there is none, null
   * if it may be where Baton does not look, such as a key ring. Absent where a program brings no vendor.
   */
  isLoggedIn?(place: Pick<Launch, 'workspace' | 'variables'>): boolean | null;
  /** A setting of the user with which the vendor's program does not start, and what to do; null or absent if there is none. */
  problem?(place: Pick<Launch, 'variables' | 'workspace'>): string | null;
  /** The model that the vendor's settings name, for a program that does not report it; null or absent if they name none. */
  vendorModel?(place: Pick<Launch, 'variables'>): string | null;
  /** Names the account that the vendor counts quota for, without revealing its login; absent where there is no vendor. */
  account?(use: Pick<Launch, 'agent' | 'variables'>): string;
  plan(request: Launch): LaunchPlan | Refusal;
  converse(request: Launch): Conversation;
}

/** A conversation with an agent that reads its prompt and nothing more. */
export function listenOnly(reader: OutputReader): Conversation {
  return {
    hear: (heard) => ({ signals: heard.kind === 'line' ? reader.line(heard.line) : [], write: null, isLast: false }),
    end: () => reader.end(),
  };
}
