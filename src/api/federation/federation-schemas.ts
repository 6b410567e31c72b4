import * as z from 'zod';
import { CORR_ID_CHARACTERS_MAX } from '../../domain/external/external-limits.ts';
import { anyText, bool, json, nullableText, shape, texts, wholeNumber } from '../shape.ts';
import type * as api from './federation-contract.ts';

const trust = z.enum(['known', 'trusted', 'removed']);

const range = { first: wholeNumber, last: wholeNumber };
const agent = shape<api.PeerAgentView>({
  name: anyText,
  role: anyText,
  provider: anyText,
  model: anyText,
  isOwner: bool,
  load: wholeNumber,
  slots: wholeNumber,
});

const peer = shape<api.PeerView>({
  nodeId: anyText,
  alive: bool,
  life: z.enum(['alive', 'silent', 'dead', 'left', 'unseen']),
  standing: z.enum(['accepted', 'asks', 'other-key', 'removed']),
  seq: wholeNumber,
  cursor: wholeNumber,
  lag: wholeNumber,
  gaps: wholeNumber,
  missing: z.object({ ...range, since: anyText }).nullable(),
  lost: z.array(z.object(range)),
  trust,
  agents: z.array(agent),
  agentsTotal: wholeNumber,
  room: wholeNumber,
  version: anyText,
  heartbeatAt: nullableText,
  seenAt: nullableText,
  keyId: anyText,
  shownKeyId: nullableText,
});

const incident = shape<api.NodeIncidentView>({
  id: anyText,
  kind: anyText,
  title: anyText,
  detail: anyText,
  node: nullableText,
  actions: texts,
  openedAt: anyText,
});

const link = shape<api.LinkView>({
  source: anyText,
  reader: anyText,
  seq: wholeNumber,
  cursor: wholeNumber,
  lag: wholeNumber,
});

const delivery = shape<api.DeliveryView>({
  agentId: anyText,
  nodeId: anyText,
  acceptedAt: nullableText,
  processedAt: nullableText,
  failedAt: nullableText,
});

const skillTarget = shape<api.SkillTargetView>({
  agentId: anyText,
  nodeId: anyText,
  skill: anyText,
  version: anyText,
  state: z.enum(['waiting', 'accepted', 'confirmed', 'refused']),
  reason: nullableText,
  requiredBy: anyText,
  late: bool,
});

const capabilityReview = shape<api.CapabilityReviewView>({
  record: json,
  agentId: anyText,
  openedBy: anyText,
  detail: anyText,
  closedAt: nullableText,
  closedBy: nullableText,
  note: nullableText,
});

const capability = shape<api.CapabilityView>({
  catalog: json,
  eligibleAgentIds: texts,
  policyVersion: nullableText,
  warnings: texts.optional(),
  skillTargets: z.array(skillTarget).optional(),
  reviews: z.array(capabilityReview).optional(),
  figures: shape<api.CapabilityFiguresView>({
    uses: wholeNumber,
    checked: wholeNumber,
    accepted: wholeNumber,
    etaKept: wholeNumber,
    costUsd: z.number(),
  }).optional(),
});
const skillRef = z.object({ name: anyText, version: anyText, path: anyText.optional() });

const sentMessage = shape<api.SentMessageView>({ envelope: json, receipts: z.array(delivery) });

/** Other machines: the federation and its messages. */
export const FEDERATION_SCHEMAS = {
  NodeStatusRequest: z.object({
    /** Answers at once, also while the node still connects. */
    now: bool.optional(),
  }),
  NodeStatusAnswer: shape<api.NodeStatusAnswer>({
    nodeId: anyText,
    federation: anyText,
    transport: z.enum(['nats', 'local', 'memory']),
    connected: bool,
    problem: nullableText,
    version: anyText,
    trustRule: z.enum(['first', 'listed']),
    gapPolicy: z.enum(['tombstone', 'skip', 'halt']),
    agents: z.array(agent),
    peers: z.array(peer),
    peersTotal: wholeNumber,
    incidents: z.array(incident),
    epoch: anyText,
    seq: wholeNumber,
    keyId: anyText,
    owned: texts,
  }),
  JoinRequest: z.object({
    transport: z.enum(['nats', 'local']),
    url: anyText.optional(),
    /** Absolute paths on the node's machine. */
    creds: anyText.optional(),
    folder: anyText.optional(),
    /** By default the name of the machine. */
    node: anyText.optional(),
    name: anyText.optional(),
  }),
  JoinAnswer: shape<api.JoinAnswer>({
    nodeId: anyText,
    transport: z.enum(['nats', 'local']),
    file: anyText,
    peers: wholeNumber,
  }),
  LeaveAnswer: shape<api.LeaveAnswer>({ nodeId: anyText, file: anyText }),
  LinksRequest: z.object({
    /** Those between other nodes, too. */
    all: bool.optional(),
  }),
  LinkList: shape<api.LinkList>({ links: z.array(link), total: wholeNumber }),
  IncidentRequest: z.object({ incident: anyText }),
  DismissAnswer: shape<api.DismissAnswer>({ id: anyText, kind: anyText, closedAt: anyText }),
  NodeRequest: z.object({ node: anyText }),
  TrustRequest: z.object({
    node: anyText,
    /** The key that was compared: refused if the node shows another one now. */
    key: anyText.optional(),
  }),
  TrustAnswer: shape<api.TrustAnswer>({ nodeId: anyText, trust, keyId: anyText }),
  CapabilityView: capability,
  CapabilityList: shape<api.CapabilityList>({ capabilities: z.array(capability) }),
  CapabilityQuestion: z.object({
    /** Removed ones, too. */
    all: bool.optional(),
  }),
  CapabilityRequest: z.object({ capability: anyText }),
  CapabilityReviewClosing: z.object({
    /** rev_… */
    review: anyText,
    note: anyText.optional(),
  }),
  CapabilityReviewView: capabilityReview,
  /** A catalog record; the owner's node adds what it knows better. */
  CapabilityPublication: z.object({
    capabilityId: anyText,
    version: anyText,
    ownerAgentId: anyText,
    executorSkillRef: skillRef,
    name: anyText.optional(),
    status: z.enum(['active', 'deprecated']).optional(),
    ownerNodeId: anyText.optional(),
    delegationSkillRef: skillRef.optional(),
    contractSchemaRef: anyText.optional(),
    defaultEtaSeconds: z.number().optional(),
    publishedAt: anyText.optional(),
    publishedByAgentId: anyText.optional(),
    eligibleAgentIds: texts.optional(),
    /** The JSON Schema that contractSchemaRef names. */
    contract: z.union([json, bool]).optional(),
  }),
  MessageDraft: z.object({
    /** Agents (emma), agents of one node (emma@laptop), nodes, or all alone. */
    to: z.array(anyText),
    body: anyText,
    subject: anyText.optional(),
    priority: z.enum(['low', 'normal', 'high', 'critical']).optional(),
    expectsReply: bool.optional(),
    /** An agent of this node; by default the node itself. */
    from: anyText.optional(),
    /** Ties messages together; a new one if absent. */
    corrId: anyText.min(1).max(CORR_ID_CHARACTERS_MAX).optional(),
    expiresInSeconds: z.int().min(1).optional(),
  }),
  SentMessage: sentMessage,
  SentRequest: z.object({ event: anyText.optional() }),
  SentMessages: shape<api.SentMessages>({ messages: z.array(sentMessage) }),
  MailRequest: z.object({
    /** One agent of this node; all of them if absent. */
    agent: anyText.optional(),
    /** Messages that were read before too. */
    all: bool.optional(),
    /** They stay unread. */
    peek: bool.optional(),
    limit: z.int().min(1).optional(),
  }),
  MessageList: shape<api.MessageList>({ messages: z.array(json) }),
  ReplyDraft: z.object({ event: anyText, body: anyText, from: anyText.optional() }),
} as const;
