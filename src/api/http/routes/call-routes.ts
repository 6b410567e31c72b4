import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { refuseCaller } from '../../../calls/rights.ts';
import { HTTP_TREE_WAIT_MS_MAX } from '../../../domain/http-limits.ts';
import { isRefusal } from '../../../domain/refusal.ts';
import { waitAtMost } from '../../../platform/timer.ts';
import { ANSWERED_NAMES, type AnsweredName, CALL_NAMES, type CallName, specOf } from '../../calls.ts';
import type { TaskRequest } from '../../contract.ts';
import { callNamed, type NodeClient } from '../../node-client.ts';
import type { Callers } from '../admit-request.ts';
import { callReader, contentType } from '../read-http-request.ts';
import { sendAnswer, sendHttpError, sendRefusal } from '../send-answer.ts';

/** Paths with routes of their own, for other forms than JSON. */
const OTHER_FORMS: ReadonlySet<string> = new Set(
  CALL_NAMES.map(specOf).flatMap(({ form, path }) => (form === undefined ? [] : [path])),
);

/** One route for every call of the table whose request and answer are JSON. */
export function addCallRoutes(app: FastifyInstance, callers: Callers): void {
  for (const name of ANSWERED_NAMES) {
    const { method, path } = specOf(name);
    if (OTHER_FORMS.has(path)) continue;
    app.route({
      method,
      url: routePath(path),
      onRequest: refuseEarly(callers, name),
      handler: callHandler(callers, name),
    });
  }
}

/** Fastify marks a variable part of a path with a colon. */
function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Before the body is read. */
export function refuseEarly(callers: Callers, name: CallName): onRequestHookHandler {
  return (request, reply, done) => {
    const refusal = refuseCaller(callers.callerOf(request), name, request.params as Partial<TaskRequest>);
    if (refusal) sendRefusal(reply, refusal);
    else done();
  };
}

/** Everything of a request is judged before anything is changed. */
function callHandler(callers: Callers, name: AnsweredName) {
  const { status, effect, pending } = specOf(name);
  const read = callReader(name);
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (hasBody(request) && contentType(request.headers) !== 'application/json') {
      return sendHttpError(reply, 'unsupported_content_type');
    }
    const call = read(request);
    if (isRefusal(call)) return sendRefusal(reply, call);
    const client = callers.clientOf(request);
    const made = callNamed(client, name)(call.request, call.options);
    if (pending && !(await waitAtMost(made, HTTP_TREE_WAIT_MS_MAX))) return sendAnswer(reply, pending);
    const answer = await made;
    if (effect === 'changes' && !isRefusal(answer)) await waitForTree({ request, reply }, client, taskOf(answer));
    return sendAnswer(reply, answer, status);
  };
}

function hasBody(request: FastifyRequest): boolean {
  return request.body instanceof Buffer && request.body.length > 0;
}

interface HttpExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** `?tree=wait`: the change is committed either way; the header Baton-Tree says whether the files show it. */
export async function waitForTree(exchange: HttpExchange, client: NodeClient, taskId: string | null): Promise<void> {
  const { tree } = exchange.request.query as { readonly tree?: string };
  if (tree !== 'wait') return;
  exchange.reply.header('baton-tree', (await isShown(client, taskId)) ? 'settled' : 'pending');
}

async function isShown(client: NodeClient, taskId: string | null): Promise<boolean> {
  try {
    const settled = client.treeSettled(taskId === null ? {} : { tasks: [taskId] });
    if (!(await waitAtMost(settled, HTTP_TREE_WAIT_MS_MAX))) return false;
    // A run may not ask about the tree: for it the files count as pending.
    const answer = await settled;
    return !isRefusal(answer) && answer.settled;
  } catch {
    // The tree's own incident says why; the caller's change is in the ledger.
    return false;
  }
}

/** The task that an answer is about, whatever its form. */
function taskOf(answer: object): string | null {
  const { id, task } = answer as { readonly id?: string; readonly task?: { readonly id: string } | string | null };
  if (typeof task === 'string') return task;
  return task?.id ?? id ?? null;
}
