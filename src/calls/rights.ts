import { ANSWERED_NAMES, type AnsweredName, type CallName, specOf } from '../api/calls.ts';
import type { TaskRequest } from '../api/contract.ts';
import { refusedMessage } from '../api/message-answer.ts';
import { type AnyCall, type Calls, callNamed, callsMadeBy, type NodeClient } from '../api/node-client.ts';
import { assertNever } from '../domain/assert-never.ts';
import type { ExternalCaller } from '../domain/external/external-agent.ts';
import { type Refusal, refuse } from '../domain/refusal.ts';
import type { RunHolder } from '../domain/task/channel.ts';
import { externalClient } from './external/external-rights.ts';
import type { RightsParts } from './rights-parts.ts';

/** The maker of a call: the operator, an agent with the token of its run, or an external agent with a proof. */
export type Caller =
  | { readonly kind: 'operator' }
  | { readonly kind: 'run'; readonly holder: RunHolder }
  | { readonly kind: 'external'; readonly external: ExternalCaller };

/** The client that a caller gets: an operator all calls, a run those about its own task. Every server goes through it. */
export type ClientFor = (caller: Caller) => NodeClient;

export function clientsFor(parts: RightsParts): ClientFor {
  return (caller) => {
    switch (caller.kind) {
      case 'operator':
        return parts.client;
      case 'run':
        return runClient(parts, caller.holder);
      case 'external':
        return externalClient(parts, caller.external);
      default:
        return assertNever(caller);
    }
  };
}

/** Refuses a call that this caller may not make, by its name and path alone: a server need not read its body. */
export function refuseCaller(caller: Caller, name: CallName, { task }: Partial<TaskRequest>): Refusal | null {
  if (caller.kind === 'operator') return null;
  if (caller.kind === 'external') return refuse('scope_denied', 'an external agent calls POST /v1/external/invoke');
  const isRefused = specOf(name).who !== 'own-task' || (task !== undefined && !isOwnTask(task, caller.holder));
  return isRefused ? scopeDenied() : null;
}

function runClient({ client, receive }: RightsParts, holder: RunHolder): NodeClient {
  const ownCall =
    (name: AnsweredName): AnyCall =>
    async (request, options) => {
      if (specOf(name).who !== 'own-task' || !isOwn(request, holder)) return scopeDenied();
      const asRun = specOf(name).carriesRun ? { ...request, run: holder.runId } : request;
      return await callNamed(client, name)(asRun, options);
    };
  const own: NodeClient = {
    ...callsMadeBy(ANSWERED_NAMES, ownCall),
    send: async ({ text, run }, options) =>
      isOwnRun(run, holder)
        ? await receive(text, { kind: 'run', holder, by: 'token' }, options?.key)
        : refusedMessage(scopeDenied()),
    follow: async () => scopeDenied(),
    batch: batchOf(() => own),
    close: async () => {},
  };
  return own;
}

/** A run names its task by one of its two lasting names, letter for letter. */
function isOwn(request: { readonly task?: unknown; readonly run?: unknown }, holder: RunHolder): boolean {
  return isOwnTask(request.task, holder) && isOwnRun(request.run, holder);
}

function isOwnTask(task: unknown, { taskId, taskUid }: RunHolder): boolean {
  return task === taskId || task === taskUid;
}

function isOwnRun(run: unknown, { runId }: RunHolder): boolean {
  return run === undefined || run === null || run === runId;
}

function scopeDenied(): Refusal {
  return {
    ...refuse('scope_denied', "this token is for its own run's task only"),
    hint: 'this token allows: GET /v1/tasks/$BATON_TASK, POST …/beat and …/end there, POST /v1/messages about that task, POST /v1/batch of these',
  };
}

/** The batch call of a client in this process. */
export function batchOf(client: () => Calls): NodeClient['batch'] {
  return async function* batch(lines) {
    // Behind an import of its own: a command that makes one call needs no schemas.
    const { runBatch } = await import('../api/run-batch.ts');
    yield* runBatch(client(), lines);
  };
}
