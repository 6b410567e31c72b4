import type { AgentSignal, UsageSignal } from '../../../domain/agent/agent-signal.ts';
import type { Conversation, ConversationInput, Reply } from '../../agent-driver.ts';

/** Adds the usage that the vendor's own record of the session has, where a run ended before its program reported any. */
export class RecordedConversation implements Conversation {
  readonly #inner: Conversation;
  readonly #recorded: (session: string) => UsageSignal | null;
  #session: string | null = null;
  #hasUsage = false;

  constructor(inner: Conversation, recorded: (session: string) => UsageSignal | null) {
    this.#inner = inner;
    this.#recorded = recorded;
  }

  hear(heard: ConversationInput): Reply {
    const reply = this.#inner.hear(heard);
    this.#note(reply.signals);
    return reply;
  }

  end(): readonly AgentSignal[] {
    const last = this.#inner.end();
    this.#note(last);
    const usage = this.#hasUsage || this.#session === null ? null : this.#recorded(this.#session);
    return usage === null ? last : [...last, usage];
  }

  #note(signals: readonly AgentSignal[]): void {
    for (const signal of signals) {
      if (signal.kind === 'vendor-session') this.#session = signal.id;
      if (signal.kind === 'usage') this.#hasUsage = true;
    }
  }
}
