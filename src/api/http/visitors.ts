import type { IncomingMessage } from 'node:http';
import type { AgentDoor, RunHolder } from '../../dispatch/attempt/agent-door.ts';
import type { Caller } from './admit-request.ts';
import { RunPasses } from './run-passes.ts';
import { Strangers } from './strangers.ts';

/** Who is at the door: those who have said nothing yet, the agents, and who is behind each request that was let in. */
export class Visitors {
  readonly strangers = new Strangers();
  readonly passes = new RunPasses();
  readonly #callers = new WeakMap<IncomingMessage, Caller>();

  /** An agent's connection stays one among many: however many it opens, the operator finds a place. */
  letIn(request: IncomingMessage, caller: Caller): void {
    this.#callers.set(request, caller);
    if (caller.kind === 'operator') this.strangers.admit(request.socket);
    // Whatever it asks for, it asks for its run.
    if (caller.kind === 'run') request.headers['baton-run'] = caller.holder.runId;
  }

  /** The same door, as the agents are to know it. */
  agentDoor(place: Pick<AgentDoor, 'url' | 'port'>): AgentDoor {
    const { passes } = this;
    return { ...place, admit: (holder) => passes.admit(holder), release: (runId) => passes.release(runId) };
  }

  /** The run whose agent sent this; null for the operator. Its token may have been taken back since. */
  holderOf(request: IncomingMessage): RunHolder | null {
    const caller = this.#callers.get(request);
    if (caller === undefined || caller.kind === 'nobody') throw new Error('a request came by without being let in');
    return caller.kind === 'run' ? caller.holder : null;
  }
}
