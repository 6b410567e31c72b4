import type * as z from 'zod';
import type { OperationName } from '../../domain/external/external-agent.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { withoutEnd } from '../../domain/words/without-end.ts';
import {
  type AgentIdentity,
  newAgentKey,
  readIdentity,
  removeIdentity,
  writeIdentity,
} from '../../platform/agent-identity.ts';
import { randomSecret } from '../../platform/secret.ts';
import type { EventView, HeldTask, TaskDetail, TaskPage } from '../contract.ts';
import type { MessageList, SentMessageView } from '../federation/federation-contract.ts';
import { messagesOf } from '../http/follow-events.ts';
import type { Exact } from '../node-client.ts';
import { NodeFault } from '../node-fault.ts';
import type { InvokeAnswer, TokenAnswer } from './external-contract.ts';
import type { OPERATION_ARGUMENTS } from './external-schemas.ts';
import { IdentityTokens, type ProvedCall, ProvedRequests, withTokens } from './proved-requests.ts';

type Arguments<Name extends OperationName> = Exact<z.infer<(typeof OPERATION_ARGUMENTS)[Name]>>;

export interface ExternalAgentOptions {
  /** The file with the key and the tokens, of mode 0600; made when the agent enrols. */
  readonly identity: string;
  /** The address of the node and the code of an invite: used if there is no file yet. */
  readonly url?: string;
  readonly invite?: string;
  /** With TLS, the fingerprint of the node's certificate. Without it, the certificate authorities of this machine decide. */
  readonly certSha256?: string;
}

export interface InvokeOptions {
  /** Ties calls together in the audit of the node. */
  readonly corrId?: string;
  /** Sent again with its key, a call gives its first answer and changes nothing; by default each call has a new one. */
  readonly key?: string;
}

const TOKEN_CODES: readonly string[] = ['expired_access_token', 'invalid_access_token'];

/** Connects an external agent with its node: by the file of its identity, or, the first time, by an invite. */
export async function connectExternalAgent(options: ExternalAgentOptions): Promise<ExternalAgent | Refusal> {
  const { identity: path, url, invite } = options;
  const known = readIdentity(path);
  if (known) return new ExternalAgent(path, known);
  if (url !== undefined && invite !== undefined) return await enrol(path, { ...options, url, invite });
  const refusal = refuse('unreadable_file', `there is no file ${path}`);
  return { ...refusal, hint: 'enrol first: give the address of the node and the code of an invite' };
}

type Enrolment = ExternalAgentOptions & Required<Pick<ExternalAgentOptions, 'url' | 'invite'>>;

/** The file is written before the invite is used up: a place that cannot be written costs no invite. */
async function enrol(path: string, { url, invite, certSha256 }: Enrolment): Promise<ExternalAgent | Refusal> {
  const place = { url: withoutEnd(url, '/'), ...(certSha256 !== undefined && { certSha256 }), key: newAgentKey() };
  const none = { agent: '', sessionId: '', scopes: [], accessToken: '', accessEndsAt: 0, refreshToken: '' };
  writeIdentity(path, { ...place, ...none });
  let identity: AgentIdentity | null = null;
  try {
    const requests = new ProvedRequests(place, place.key, path);
    const answer = await requests.call({ name: 'exchangeInvite', body: { invite: invite.trim() } }, null);
    if (isRefusal(answer)) return answer;
    identity = withTokens(place, answer as TokenAnswer, requests.nowMs);
    writeIdentity(path, identity);
    return new ExternalAgent(path, identity);
  } finally {
    if (identity === null) removeIdentity(path);
  }
}

/** An external agent that takes part in the work of a node. Calls answer with a value or a refusal; only faults are thrown. */
export class ExternalAgent {
  readonly #tokens: IdentityTokens;
  readonly #requests: ProvedRequests;

  constructor(path: string, identity: AgentIdentity) {
    this.#requests = new ProvedRequests(identity, identity.key, path);
    this.#tokens = new IdentityTokens(path, identity, this.#requests);
  }

  /** Its name, its session and its scopes. */
  get identity(): Pick<AgentIdentity, 'url' | 'agent' | 'sessionId' | 'scopes'> {
    const { url, agent, sessionId, scopes } = this.#tokens.identity;
    return { url, agent, sessionId, scopes };
  }

  /** The thumbprint of its public key (RFC 7638), for the person who invited it. */
  async keyThumbprint(): Promise<string> {
    return await this.#requests.keyThumbprint();
  }

  /** Makes one operation; docs/external-agents.md lists them. */
  async invoke<Name extends OperationName>(
    operation: Name,
    given: Arguments<Name>,
    options: InvokeOptions = {},
  ): Promise<InvokeAnswer | Refusal> {
    const { corrId, key = randomSecret() } = options;
    const body = { operation, arguments: given, ...(corrId !== undefined && { corrId }) };
    return (await this.#call({ name: 'invoke', body, headers: { 'idempotency-key': key } })) as InvokeAnswer | Refusal;
  }

  status(): Promise<object | Refusal> {
    return this.#result('status.read', {});
  }

  tasks(which: Arguments<'task.list'> = {}): Promise<TaskPage | Refusal> {
    return this.#result('task.list', which);
  }

  task(task: string): Promise<TaskDetail | Refusal> {
    return this.#result('task.read', { task });
  }

  /** The lease lasts ten minutes; any call about the task renews it, and five minutes of silence end it. */
  claim(task: string, options?: InvokeOptions): Promise<HeldTask | Refusal> {
    return this.#result('task.claim', { task }, options);
  }

  beat(task: string, run?: string): Promise<HeldTask | Refusal> {
    return this.#result('task.beat', { task, ...(run !== undefined && { run }) });
  }

  release(task: string, options?: InvokeOptions): Promise<HeldTask | Refusal> {
    return this.#result('task.release', { task }, options);
  }

  update(
    task: string,
    said: Omit<Arguments<'task.update'>, 'task'>,
    options?: InvokeOptions,
  ): Promise<object | Refusal> {
    return this.#result('task.update', { task, ...said }, options);
  }

  /** Reports the outcome and ends the run: the task goes to review, blocked or ready. */
  complete(
    task: string,
    said: Omit<Arguments<'task.complete'>, 'task'>,
    options?: InvokeOptions,
  ): Promise<HeldTask | Refusal> {
    return this.#result('task.complete', { task, ...said }, options);
  }

  messages(which: Arguments<'message.read'> = {}): Promise<MessageList | Refusal> {
    return this.#result('message.read', which);
  }

  send(message: Arguments<'message.send'>, options?: InvokeOptions): Promise<SentMessageView | Refusal> {
    return this.#result('message.send', message, options);
  }

  reply(event: string, body: string, options?: InvokeOptions): Promise<SentMessageView | Refusal> {
    return this.#result('message.reply', { event, body }, options);
  }

  /** The events of its tasks and messages as they happen, until the signal; it resumes where a stream ended. */
  async *events({
    after,
    signal,
  }: {
    readonly after?: number;
    readonly signal?: AbortSignal;
  } = {}): AsyncGenerator<EventView> {
    let last = after;
    while (!signal?.aborted) {
      const headers = { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': String(last) }) };
      const response = await this.#open({ name: 'followExternal', headers, signal });
      if (isRefusal(response))
        throw new NodeFault('events', response.message, { retryable: response.retryable, code: response.code });
      try {
        for await (const { event, data } of messagesOf(response)) {
          if (event === 'stale_cursor')
            throw new NodeFault('events', 'the log does not go so far', { retryable: false, code: event });
          const view = JSON.parse(data) as EventView;
          last = view.eventId;
          yield view;
        }
      } catch (error) {
        if (signal?.aborted) return;
        if (error instanceof NodeFault) throw error;
      }
    }
  }

  async #result<Result>(operation: OperationName, given: object, options?: InvokeOptions): Promise<Result | Refusal> {
    const answer = await this.invoke(operation, given as never, options);
    return isRefusal(answer) ? answer : (answer.result as Result);
  }

  async #call(call: ProvedCall): Promise<object> {
    return await this.#withToken((token) => this.#requests.call(call, token));
  }

  async #open(call: ProvedCall) {
    return await this.#withToken((token) => this.#requests.open(call, token));
  }

  /** A token that the node no longer accepts is exchanged once. */
  async #withToken<Answer extends object>(
    ask: (token: string) => Promise<Answer | Refusal>,
  ): Promise<Answer | Refusal> {
    const token = await this.#tokens.access();
    if (isRefusal(token)) return token;
    const answer = await ask(token);
    if (!isRefusal(answer) || !TOKEN_CODES.includes(answer.code)) return answer;
    const next = await this.#tokens.access(true);
    return isRefusal(next) ? answer : await ask(next);
  }
}
