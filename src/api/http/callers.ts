import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AgentDoor, RunHolder } from '../../domain/channel.ts';
import { randomSecret } from '../../platform/secret.ts';
import type { Caller, ClientFor } from '../in-process/run-client.ts';
import type { NodeClient } from '../node-client.ts';

interface Issued {
  readonly holder: RunHolder;
  readonly token: Buffer;
}

/** The tokens of live runs. They are in memory only, so no other node ever accepts them. */
export class RunTokens {
  readonly #issued = new Map<string, Issued>();

  /** A run has one token: an earlier one no longer counts. */
  admit(holder: RunHolder): string {
    const token = randomSecret();
    this.#issued.set(holder.runId, { holder, token: Buffer.from(token, 'latin1') });
    return token;
  }

  release(runId: string): void {
    this.#issued.delete(runId);
  }

  /** Compares with every token in full, so the time taken says nothing about how much of one is right. */
  holderOf(given: Buffer): RunHolder | null {
    let found: RunHolder | null = null;
    for (const { holder, token } of this.#issued.values()) {
      if (given.length === token.length && timingSafeEqual(given, token)) found = holder;
    }
    return found;
  }

  /** The address of this node, for the agents that it starts. */
  agentDoor(address: Pick<AgentDoor, 'url' | 'port'>): AgentDoor {
    return { ...address, admit: (holder) => this.admit(holder), release: (runId) => this.release(runId) };
  }
}

interface Request {
  readonly raw: IncomingMessage;
}

/** The caller of each admitted request. Every route gets its client here. */
export class Callers {
  readonly #callers = new WeakMap<IncomingMessage, Caller>();
  readonly #clientFor: ClientFor;

  constructor(clientFor: ClientFor) {
    this.#clientFor = clientFor;
  }

  admit(request: IncomingMessage, caller: Caller): void {
    this.#callers.set(request, caller);
  }

  callerOf({ raw }: Request): Caller {
    const caller = this.#callers.get(raw);
    if (!caller) throw new Error('a request reached a route without a caller');
    return caller;
  }

  clientOf(request: Request): NodeClient {
    return this.#clientFor(this.callerOf(request));
  }
}
