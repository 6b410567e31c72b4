import type { NodeClient } from '../api/node-client.ts';
import { NodeFault } from '../api/node-fault.ts';
import { NODE_CALL_PAUSE_MS, NODE_CALL_TRIES_MAX } from '../domain/limits.ts';
import type { Timer } from '../platform/timer.ts';

export interface LinkParts {
  readonly first: NodeClient;
  readonly timer: Timer;
  /** The node that took the place of the one that is gone, or this process. */
  connectAgain(): Promise<NodeClient>;
}

export interface Repeating {
  /** Made twice it is made once: by its nature, or by its key. Anything else is repeated only where no node took it. */
  readonly isRepeatable: boolean;
}

/** To the node of a folder, whoever is it: a call that one did not answer, because it ended, goes to the next. */
export class SteadyLink {
  readonly #parts: LinkParts;
  #now: NodeClient;
  #next: Promise<NodeClient> | null = null;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.#now = parts.first;
  }

  get client(): NodeClient {
    return this.#now;
  }

  async ask<Answer>(
    call: (client: NodeClient) => Promise<Answer>,
    { isRepeatable }: Repeating = { isRepeatable: true },
  ): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const client = this.#now;
      try {
        return await call(client);
      } catch (error) {
        if (tries === NODE_CALL_TRIES_MAX || !(isRepeatable ? isGone(error) : wasNotTaken(error))) throw error;
      }
      await this.#parts.timer.pause(NODE_CALL_PAUSE_MS * 2 ** (tries - 1));
      await this.#leave(client);
    }
  }

  /** Once for all who wait: this process may come to hold the folder, and can do so only once. */
  async #leave(client: NodeClient): Promise<void> {
    if (this.#now !== client) return;
    this.#next ??= this.#parts.connectAgain();
    try {
      this.#now = await this.#next;
    } finally {
      this.#next = null;
    }
  }
}

/** One that is there and does not answer in time would not do so the next time. */
function isGone(error: unknown): boolean {
  return error instanceof NodeFault && error.retryable && !systemCodes(error).includes('ABORT_ERR');
}

function wasNotTaken(error: unknown): boolean {
  if (!(error instanceof NodeFault)) return false;
  return error.code === 'node_stopping' || systemCodes(error).includes('ECONNREFUSED');
}

function systemCodes(error: unknown): unknown[] {
  const codes: unknown[] = [];
  for (let cause = error; cause instanceof Error && codes.length < 5; cause = cause.cause) {
    codes.push((cause as NodeJS.ErrnoException).code);
  }
  return codes;
}
