import type { FEDERATION_CALLS } from '../../api/federation/federation-call-table.ts';
import type {
  DismissAnswer,
  JoinAnswer,
  LeaveAnswer,
  SentMessageView,
} from '../../api/federation/federation-contract.ts';
import type { Calls, RequestOf } from '../../api/node-client.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import type { Federation } from '../../federation/federation.ts';
import { readMail } from '../../federation/messages/mailbox.ts';
import { replyToMail, sendMail } from '../../federation/messages/send-mail.ts';
import { removeNode, trustNode } from '../../federation/nodes/change-trust.ts';
import { nodeLinks } from '../../federation/nodes/node-links.ts';
import { nodeStatus } from '../../federation/nodes/node-status.ts';
import { TransportFault } from '../../federation/transport.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { selectReceipts, selectSent, selectSentMessages } from '../../ledger/statements/federation/outbox.ts';
import { dismissIncident } from '../../operations/dismiss-incident.ts';
import { waitAtMost } from '../../platform/timer.ts';
import { capabilityCalls } from './capability-calls.ts';

const MESSAGES_SHOWN_MAX = 200;
const CATCH_UP_MS_MAX = 2_000;

/**
 * The event that a call waits for: `connected`, a connection, for some seconds; `tried`, the end of the first try to connect, because the
 * ledger can answer without one; `nothing`.
 */
export type ConnectionWait = 'connected' | 'tried' | 'nothing';

/** The federation of a node, as its callers reach it. */
export interface FederationAccess {
  /** Started; a refusal where the node is in none. */
  open(how?: { readonly waits?: ConnectionWait }): Promise<Federation | Refusal>;
  join(request: RequestOf<'joinFederation'>): Promise<JoinAnswer | Refusal>;
  leave(): Promise<LeaveAnswer | Refusal>;
}

export type FederationCalls = Pick<Calls, keyof typeof FEDERATION_CALLS>;

/** Other machines, and messages between agents. */
export function federationCalls(access: FederationAccess, ledger: Ledger): FederationCalls {
  type Call<Answer> = (federation: Federation) => Promise<Answer | Refusal>;
  const within = <Answer>(call: Call<Answer>) => withFederation(() => access.open(), call);
  /** The ledger answers where the store is away. */
  const atOnce = <Answer>(call: Call<Answer>) => withFederation(() => access.open({ waits: 'tried' }), call);
  return {
    nodeStatus: ({ now = false } = {}) =>
      withFederation(() => access.open({ waits: now ? 'nothing' : 'tried' }), nodeStatus),
    nodeLinks: ({ all = false } = {}) => within((federation) => nodeLinks(federation, all)),
    dismissIncident: (request) => dismiss(ledger, request),
    joinFederation: (request) => access.join(request).catch(refuseFault),
    leaveFederation: () => access.leave().catch(refuseFault),
    trustNode: (request) => within((federation) => trustNode(federation, request)),
    removeNode: ({ node }) => within((federation) => removeNode(federation, node)),
    ...capabilityCalls(within),
    sendMessage: (request, options) => atOnce((federation) => send({ federation, ledger, options }, request)),
    sentMessages: ({ event } = {}) => atOnce(async (federation) => sent(federation, event)),
    readMessages: (request = {}) => atOnce((federation) => read(federation, request)),
    replyMessage: (request, options) => atOnce((federation) => reply({ federation, ledger, options }, request)),
  };
}

async function withFederation<Answer>(
  open: () => Promise<Federation | Refusal>,
  call: (federation: Federation) => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  try {
    const federation = await open();
    return isRefusal(federation) ? federation : await call(federation);
  } catch (error) {
    return refuseFault(error);
  }
}

function refuseFault(error: unknown): Refusal {
  if (error instanceof TransportFault) return refuse('broker_unreachable', error.message);
  throw error;
}

async function dismiss(ledger: Ledger, request: RequestOf<'dismissIncident'>): Promise<DismissAnswer | Refusal> {
  const answer = await ledger.submit(dismissIncident, request);
  return isRefusal(answer) ? answer : { ...answer, closedAt: new Date(answer.closedAt).toISOString() };
}

type Options = Parameters<Calls['sendMessage']>[1];

interface Change {
  readonly federation: Federation;
  readonly ledger: Ledger;
  readonly options: Options;
}

async function send(
  { federation, ledger, options }: Change,
  request: RequestOf<'sendMessage'>,
): Promise<SentMessageView | Refusal> {
  const { expiresInSeconds, ...message } = request;
  const { wallMs } = federation.parts.clock.now();
  const expiresAt = expiresInSeconds === undefined ? null : wallMs + expiresInSeconds * 1_000;
  const answer = await sendMail(federation, { ...message, expiresAt }, { ledger, request, key: options?.key });
  return isRefusal(answer) ? answer : viewSent(federation, answer.eventId);
}

function viewSent({ parts: { ledger } }: Federation, eventId: string): SentMessageView {
  const row = selectSent(ledger.read, eventId);
  if (!row) throw new Error(`${eventId} was sent and is not in the outbox`);
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const receipts = selectReceipts(ledger.read, row.operation).map(
    ({ agent, node, acceptedAt, processedAt, failedAt }) => ({
      agentId: agent,
      nodeId: node,
      acceptedAt: iso(acceptedAt),
      processedAt: iso(processedAt),
      failedAt: iso(failedAt),
    }),
  );
  return { envelope: JSON.parse(row.envelope) as Record<string, unknown>, receipts };
}

function sent(federation: Federation, event: string | undefined) {
  const { ledger } = federation.parts;
  if (event !== undefined && !selectSent(ledger.read, event)) {
    return refuse('message_not_found', `this node did not send ${event}, or it is too long ago`, '/event');
  }
  const ids = event === undefined ? selectSentMessages(ledger.read, MESSAGES_SHOWN_MAX) : [event];
  return { messages: ids.map((id) => viewSent(federation, id)) };
}

function faultOnly(error: unknown): void {
  if (!(error instanceof TransportFault)) throw error;
}

async function read(federation: Federation, request: RequestOf<'readMessages'>) {
  const { ledger, transport } = federation.parts;
  // A node that was started for this one call has read nothing yet. With the store away it shows what it has.
  const caughtUp = federation.plane.findSources().catch(faultOnly);
  if (transport.isConnected) await waitAtMost(caughtUp, CATCH_UP_MS_MAX);
  const { agent = null, all = false, peek = false, limit = MESSAGES_SHOWN_MAX } = request;
  const question = { agent, isUnreadOnly: !all, isPeek: peek, limit: Math.min(limit, MESSAGES_SHOWN_MAX) };
  const answer = await ledger.submit(readMail, question);
  return isRefusal(answer) ? answer : { messages: answer.mail as unknown as readonly Record<string, unknown>[] };
}

async function reply(
  { federation, ledger, options }: Change,
  request: RequestOf<'replyMessage'>,
): Promise<SentMessageView | Refusal> {
  const answer = await replyToMail(federation, request, { ledger, request, key: options?.key });
  return isRefusal(answer) ? answer : viewSent(federation, answer.eventId);
}
