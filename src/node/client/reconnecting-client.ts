import { ANSWERED_NAMES, type AnsweredName, specOf, taskFieldsOf } from '../../api/calls.ts';
import { type AnyCall, callNamed, callsMadeBy, type NodeClient } from '../../api/node-client.ts';
import { NodeFault } from '../../api/node-fault.ts';
import type { CallOptions } from '../../api/task/task-view.ts';
import { NODE_CALL_PAUSE_MS, NODE_CALL_TRIES_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { TASK_NAME_INSIDE } from '../../domain/task/task.ts';
import type { Timer } from '../../platform/timer.ts';

type Fields = Readonly<Record<string, unknown>>;

/** References that always mean the same task, question or review; @, a number or words of a title may mean another one later. */
const LASTING = new RegExp(
  `^\\s*((?:(?:review|blocked)_)?${TASK_NAME_INSIDE.source}(?:_\\d+)?|tsk_\\S+|qst_\\S+)\\s*$`,
  'i',
);

/**
 * A client for one command, which takes effect once even if the node dies in the middle: each change has a key, its
 * tasks are resolved once, and the same call then goes to the next node.
 */
export function reconnectingClient(link: CurrentNode): NodeClient {
  return {
    ...callsMadeBy(ANSWERED_NAMES, (name) => reconnectingCall(link, name)),
    follow: (request, signal) => link.client.follow(request, signal),
    // Its lines carry their own keys: the caller sends again what was not answered.
    batch: (lines) => link.client.batch(lines),
    close: () => link.client.close(),
  };
}

function reconnectingCall(link: CurrentNode, name: AnsweredName): AnyCall {
  const { effect, repeat } = specOf(name);
  const ask = (request: object, options?: CallOptions) =>
    link.ask((client) => callNamed(client, name)(request, options), { isRepeatable: repeat !== 'never' });
  if (effect === 'reads') return ask;
  return async (request = {}, options = {}) => {
    const lasting = await withLastingNames(link, name, request as Fields);
    if (isRefusal(lasting)) return lasting;
    return await ask(lasting, repeat === 'keyed' ? await keyed(options) : options);
  };
}

/** The first task that cannot be found is the refusal. */
async function withLastingNames(link: CurrentNode, call: AnsweredName, request: Fields): Promise<Fields | Refusal> {
  const lasting: Record<string, unknown> = { ...request };
  for (const field of taskFieldsOf(call)) {
    const given = request[field];
    if (given === undefined || given === null || given === '') continue;
    const names: string[] = [];
    for (const reference of Array.isArray(given) ? (given as string[]) : [String(given)]) {
      const name = await lastingName(link, reference);
      if (isRefusal(name)) return name;
      names.push(name);
    }
    lasting[field] = Array.isArray(given) ? names : names[0];
  }
  return lasting;
}

async function lastingName(link: CurrentNode, reference: string): Promise<string | Refusal> {
  if (LASTING.test(reference)) return reference;
  const task = await link.ask((client) => client.showTask({ task: reference }));
  return isRefusal(task) ? task : task.id;
}

/** With a key in any case. Behind an import of its own: a command that only reads needs no key. */
export async function keyed({ key }: CallOptions): Promise<Required<CallOptions>> {
  return { key: key ?? `once-${(await import('../../platform/ids.ts')).randomIds().uuid()}` };
}

interface LinkParts {
  readonly first: NodeClient;
  readonly timer: Timer;
  /** Connects to the node that replaced the last one, or opens it in this process. */
  connectAgain(): Promise<NodeClient>;
}

interface Repeating {
  /** Idempotent, by its nature or by its key. Any other call is repeated only if no node received it. */
  readonly isRepeatable: boolean;
}

/** A connection to the current node of a folder: a call that a dying node did not answer goes to the next one. */
export class CurrentNode {
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
        if (tries === NODE_CALL_TRIES_MAX || !(isRepeatable ? isGone(error) : wasNotReceived(error))) throw error;
      }
      await this.#parts.timer.pause(NODE_CALL_PAUSE_MS * 2 ** (tries - 1));
      await this.#leave(client);
    }
  }

  /** Connects once for all pending calls: this process may become the node, and can do so only once. */
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

/** The node is gone. One that is alive and times out would time out again. */
function isGone(error: unknown): boolean {
  return error instanceof NodeFault && error.retryable && !systemCodes(error).includes('ABORT_ERR');
}

function wasNotReceived(error: unknown): boolean {
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
