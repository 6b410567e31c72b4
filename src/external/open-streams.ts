import type { ServerResponse } from 'node:http';
import type { EventFilter } from '../api/events/event-filter.ts';
import type { ExternalCaller } from '../domain/external/external-agent.ts';
import { EXTERNAL_STREAMS_MAX } from '../domain/external/external-limits.ts';
import type { LedgerEvent } from '../domain/trace/ledger-event.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { selectEnrolment } from '../ledger/statements/external/enrolments.ts';
import { hasRunOf } from '../ledger/statements/runs.ts';
import { selectTask } from '../ledger/statements/tasks.ts';
import type { Reader } from '../ledger/tx.ts';
import type { Timer } from '../platform/timer.ts';

export interface StreamsParts {
  readonly ledger: Pick<Ledger, 'read' | 'onCommitted'>;
  readonly timer: Timer;
}

/** Streams of events to external agents. Each ends with its access token, and with the commit that revokes its agent. */
export class OpenStreams {
  readonly #parts: StreamsParts;
  readonly #open = new Map<ServerResponse, string>();
  #stopListening: (() => void) | null = null;

  constructor(parts: StreamsParts) {
    this.#parts = parts;
  }

  isFull(sessionId: string): boolean {
    return [...this.#open.values()].filter((each) => each === sessionId).length >= EXTERNAL_STREAMS_MAX;
  }

  add(response: ServerResponse, sessionId: string, endsInMs: number): void {
    // Its client left before the stream began: it will not close again.
    if (response.destroyed) return;
    this.#open.set(response, sessionId);
    this.#stopListening ??= this.#parts.ledger.onCommitted(() => this.#endRevoked());
    const cancel = this.#parts.timer.after(Math.max(0, endsInMs), () => response.end());
    response.once('close', () => {
      cancel();
      this.#open.delete(response);
      if (this.#open.size > 0) return;
      this.#stopListening?.();
      this.#stopListening = null;
    });
  }

  #endRevoked(): void {
    for (const [response, sessionId] of this.#open) {
      if (selectEnrolment(this.#parts.ledger.read, sessionId)?.revokedAt !== null) response.end();
    }
  }
}

/** The events that concern an external agent: of tasks that are routed to it or were run by it, and of its own messages. */
export function externalFilter(read: Reader, { agent, sessionId, scopes }: ExternalCaller): EventFilter {
  return (event) => {
    if (event.taskId !== null) return isOwnTask(read, event.taskId, agent);
    if (event.sessionId === sessionId) return true;
    return scopes.includes('message.read') && isOwnMessage(event, agent);
  };
}

function isOwnTask(read: Reader, taskId: string, agent: string): boolean {
  return selectTask(read, taskId)?.routing.agent === agent || hasRunOf(read, taskId, agent);
}

function isOwnMessage({ type, actor, payload }: LedgerEvent, agent: string): boolean {
  if (!type.startsWith('message.')) return false;
  return (
    actor === agent ||
    String(payload.to ?? '')
      .split(', ')
      .includes(agent)
  );
}
