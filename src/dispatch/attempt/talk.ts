import type { Conversation, ConversationInput } from '../../agents/agent-driver.ts';
import type { LiveProcess, OutputLine } from '../../agents/sandbox/sandbox.ts';
import type { AgentSignal } from '../../domain/agent/agent-signal.ts';

/** Something for an agent that is not its own output. */
export type AgentInput = Exclude<ConversationInput, { readonly kind: 'line' }>;

type Stdin = Pick<LiveProcess, 'write' | 'closeStdin'>;

/** Carries a driver's conversation to and from the process of one run. */
export class Talk {
  readonly #conversation: Conversation;
  #stdin: Stdin | null = null;
  /** Replies to lines that arrived before the process was known. */
  #waiting: ((stdin: Stdin) => void)[] = [];

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  begin(stdin: Stdin): void {
    this.#stdin = stdin;
    for (const send of this.#waiting) send(stdin);
    this.#waiting = [];
  }

  line(line: OutputLine): readonly AgentSignal[] {
    return this.#hear({ kind: 'line', line }).signals;
  }

  end(): readonly AgentSignal[] {
    return this.#conversation.end();
  }

  /** Tells the agent something; false if it cannot be told while it works. */
  tell(told: AgentInput): { readonly isTold: boolean; readonly signals: readonly AgentSignal[] } {
    const { signals, write } = this.#hear(told);
    return { isTold: write !== null, signals };
  }

  #hear(heard: ConversationInput) {
    const reply = this.#conversation.hear(heard);
    const { write, isLast } = reply;
    if (write !== null || isLast) {
      this.#send((stdin) => {
        if (write !== null) stdin.write(write);
        if (isLast) stdin.closeStdin();
      });
    }
    return reply;
  }

  #send(send: (stdin: Stdin) => void): void {
    if (this.#stdin) send(this.#stdin);
    else this.#waiting.push(send);
  }
}
