import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { HTTP_TREE_WAIT_MS_MAX } from '../../domain/limits.ts';
import { isRefusal, type Refusal } from '../../domain/refusal.ts';
import { waitAtMost } from '../../platform/wait-at-most.ts';
import type { MessageKind } from '../../protocols/judge-value.ts';
import type { NodeClient } from '../contract.ts';
import { type ChannelHeaders, contentType, readBody, readChannel, readFields, readReference } from './read-request.ts';
import { CHANGE_QUERY } from './request-kinds.ts';
import { sendAnswer, sendDoorError, sendRefusal } from './send-answer.ts';

/** One call that changes something. */
export interface ChangeRoute<Body> {
  readonly body: MessageKind<Body>;
  readonly status?: number;
  run(call: ChangeCall<Body>): Promise<object | Refusal>;
}

export interface ChangeCall<Body> {
  /** The task of the path; empty where the path has none. */
  readonly ref: string;
  readonly body: Body;
  /** The key of the call, if it has one, for the node. */
  readonly options: { readonly key?: string };
  readonly run: string | null;
}

/** A request and the reply to it. */
interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Everything is judged before anything is changed. */
export function changeRoute<Body>(client: NodeClient, route: ChangeRoute<Body>): RouteHandlerMethod {
  return async (request, reply) => {
    if (hasBody(request) && contentType(request.headers) !== 'application/json') {
      return sendDoorError(reply, 'unsupported_content_type');
    }
    const call = readCall(request, route.body);
    if (isRefusal(call)) return sendRefusal(reply, call);
    const answer = await route.run(call);
    if (!isRefusal(answer)) await waitForTree({ request, reply }, client, taskOf(answer));
    return sendAnswer(reply, answer, route.status);
  };
}

function hasBody(request: FastifyRequest): boolean {
  return request.body instanceof Buffer && request.body.length > 0;
}

function readCall<Body>(request: FastifyRequest, kind: MessageKind<Body>): ChangeCall<Body> | Refusal {
  const query = readFields(request.query, CHANGE_QUERY);
  if (isRefusal(query)) return query;
  const channel: ChannelHeaders | Refusal = readChannel(request.headers);
  if (isRefusal(channel)) return channel;
  const ref = 'ref' in (request.params as object) ? readReference(request.params) : '';
  if (isRefusal(ref)) return ref;
  const body = readBody(request.body, kind);
  if (isRefusal(body)) return body;
  const { run, ...options } = channel;
  return { ref, body, options, run };
}

/** `?tree=wait`: the change is kept either way; Baton-Tree says whether the files show it. */
export async function waitForTree(exchange: Exchange, client: NodeClient, taskId: string | null): Promise<void> {
  const { tree } = exchange.request.query as { readonly tree?: string };
  if (tree !== 'wait') return;
  exchange.reply.header('baton-tree', (await isShown(client, taskId)) ? 'settled' : 'pending');
}

async function isShown(client: NodeClient, taskId: string | null): Promise<boolean> {
  try {
    return await waitAtMost(client.treeSettled(taskId === null ? undefined : [taskId]), HTTP_TREE_WAIT_MS_MAX);
  } catch {
    // The tree's own incident says why; the caller's change is in the ledger.
    return false;
  }
}

/** The task that an answer is about, whatever its form. */
function taskOf(answer: object): string | null {
  const { id, task } = answer as { readonly id?: string; readonly task?: { readonly id: string } | null };
  return task?.id ?? id ?? null;
}
