import { isRefusal, type Refusal, refuse } from '../../domain/refusal.ts';
import { type CatalogEntry, findCapability, listCapabilities } from '../../federation/capabilities/catalog.ts';
import {
  capabilityNotFound,
  type PublishedCapability,
  publishCapability,
  removeCapability,
} from '../../federation/capabilities/publish.ts';
import { changeTrust } from '../../federation/directory.ts';
import type { Federation } from '../../federation/federation.ts';
import { readMail } from '../../federation/messages/mailbox.ts';
import { replyToMail, sendMail } from '../../federation/messages/send-mail.ts';
import { nodeStatus, shortKeyId } from '../../federation/node-status.ts';
import { isKey, TransportFault } from '../../federation/transport.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { selectReceipts, selectSent, selectSentMessages } from '../../ledger/statements/outbox.ts';
import { type PeerTrust, selectPeer } from '../../ledger/statements/peers.ts';
import { selectSkillTargets } from '../../ledger/statements/skills.ts';
import { waitAtMost } from '../../platform/timer.ts';
import type { FEDERATION_CALLS } from '../calls/federation-call-table.ts';
import type {
  CapabilityList,
  CapabilityView,
  JoinAnswer,
  LeaveAnswer,
  SentMessageView,
} from '../federation-contract.ts';
import type { Calls, RequestOf } from '../node-client.ts';

const MESSAGES_SHOWN_MAX = 200;
const CATCH_UP_MS_MAX = 2_000;

/** The federation of a node, as its callers reach it. */
export interface FederationAccess {
  /** Started; a refusal where the node is in none. */
  open(): Promise<Federation | Refusal>;
  join(request: RequestOf<'joinFederation'>): Promise<JoinAnswer | Refusal>;
  leave(): Promise<LeaveAnswer | Refusal>;
}

export type FederationCalls = Pick<Calls, keyof typeof FEDERATION_CALLS>;

/** Other machines, and messages between agents. */
export function federationCalls(access: FederationAccess, ledger: Ledger): FederationCalls {
  const within = <Answer>(call: (federation: Federation) => Promise<Answer | Refusal>) => withFederation(access, call);
  return {
    nodeStatus: () => within((federation) => nodeStatus(federation)),
    joinFederation: (request) => access.join(request).catch(refuseFault),
    leaveFederation: () => access.leave().catch(refuseFault),
    trustNode: ({ node }) => within((federation) => trust(federation, node, 'trusted')),
    removeNode: ({ node }) => within((federation) => trust(federation, node, 'removed')),
    publishCapability: (request) =>
      within(async (federation) => withTargets(federation, viewed(await publishCapability(federation, request)))),
    listCapabilities: ({ all = false } = {}) => within((federation) => capabilities(federation, all)),
    showCapability: ({ capability }) => within((federation) => showCapability(federation, capability)),
    removeCapability: ({ capability }) =>
      within(async (federation) => viewed(await removeCapability(federation, capability))),
    sendMessage: (request, options) => within((federation) => send({ federation, ledger, options }, request)),
    sentMessages: ({ event } = {}) => within(async (federation) => sent(federation, event)),
    readMessages: (request = {}) => within((federation) => read(federation, request)),
    replyMessage: (request, options) => within((federation) => reply({ federation, ledger, options }, request)),
  };
}

async function withFederation<Answer>(
  access: FederationAccess,
  call: (federation: Federation) => Promise<Answer | Refusal>,
): Promise<Answer | Refusal> {
  try {
    const federation = await access.open();
    return isRefusal(federation) ? federation : await call(federation);
  } catch (error) {
    return refuseFault(error);
  }
}

function refuseFault(error: unknown): Refusal {
  if (error instanceof TransportFault) return refuse('broker_unreachable', error.message);
  throw error;
}

async function trust(federation: Federation, nodeId: string, to: PeerTrust) {
  const { ledger } = federation.parts;
  const node = await federation.directory.node(nodeId);
  const known = selectPeer(ledger.read, nodeId);
  if (!node && !known) return refuse('node_not_found', `there is no node ${nodeId} in the federation`, '/node');
  const keys = to === 'trusted' && node ? { keys: node.keys } : {};
  const changed = await ledger.submit(changeTrust, { nodeId, trust: to, ...keys });
  if (isRefusal(changed)) return changed;
  if (to === 'removed') await federation.plane.forget(nodeId);
  const key = selectPeer(ledger.read, nodeId)?.publicKey ?? '';
  return { nodeId, trust: to, keyId: shortKeyId(key) };
}

function viewed(entry: PublishedCapability | CatalogEntry | Refusal): CapabilityView | Refusal {
  return isRefusal(entry) ? entry : { ...entry, catalog: { ...entry.catalog } };
}

async function capabilities({ parts: { transport } }: Federation, isAll: boolean): Promise<CapabilityList> {
  const found = await listCapabilities(transport);
  const shown = found.filter(({ catalog }) => isAll || catalog.status !== 'disabled');
  return { capabilities: shown.map((entry) => ({ ...entry, catalog: { ...entry.catalog } })) };
}

async function showCapability(federation: Federation, id: string): Promise<CapabilityView | Refusal> {
  const found = isKey(id) ? await findCapability(federation.parts.transport, id) : null;
  return found === null ? capabilityNotFound(id) : withTargets(federation, viewed(found));
}

/** With the agents that its delegation skill went to, where this node published it. */
function withTargets({ parts: { ledger, clock } }: Federation, view: CapabilityView | Refusal) {
  if (isRefusal(view)) return view;
  const { wallMs } = clock.now();
  const targets = selectSkillTargets(ledger.read, String(view.catalog.capabilityId));
  if (targets.length === 0) return view;
  const skillTargets = targets.map(({ agent, node, skill, version, state, reason, requiredBy }) => {
    const late = state !== 'confirmed' && requiredBy <= wallMs;
    const at = new Date(requiredBy).toISOString();
    return { agentId: agent, nodeId: node, skill, version, state, reason, requiredBy: at, late };
  });
  return { ...view, skillTargets };
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
