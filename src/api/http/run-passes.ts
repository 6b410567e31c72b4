import { timingSafeEqual } from 'node:crypto';
import type { RunHolder } from '../../dispatch/attempt/agent-door.ts';
import { randomSecret } from '../../platform/secret.ts';

interface Pass {
  readonly holder: RunHolder;
  readonly token: Buffer;
}

/** The tokens of the runs that are at work. They are in memory only: no other node ever takes them. */
export class RunPasses {
  readonly #passes = new Map<string, Pass>();

  /** A run has one token: what it was given before is good no longer. */
  admit(holder: RunHolder): string {
    const token = randomSecret();
    this.#passes.set(holder.runId, { holder, token: Buffer.from(token, 'latin1') });
    return token;
  }

  release(runId: string): void {
    this.#passes.delete(runId);
  }

  /** Whose token this is. Each is looked at whole, so the time tells nothing of how much of one is right. */
  holderOf(given: Buffer): RunHolder | null {
    let found: RunHolder | null = null;
    for (const { holder, token } of this.#passes.values()) {
      if (given.length === token.length && timingSafeEqual(given, token)) found = holder;
    }
    return found;
  }
}
