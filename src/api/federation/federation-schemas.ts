import * as z from 'zod';
import { CORR_ID_CHARACTERS_MAX } from '../../domain/external/external-limits.ts';
import { count, flag, json, nullableText, shape, text, texts } from '../shape.ts';
import type * as api from './federation-contract.ts';

const trust = z.enum(['known', 'trusted', 'removed']);

const range = { first: count, last: count };
const agent = shape<api.PeerAgentView>({
  name: text,
  role: text,
  provider: text,
  model: text,
  isOwner: flag,
  load: count,
  slots: count,
});

const peer = shape<api.PeerView>({
  nodeId: text,
  alive: flag,
  life: z.enum(['alive', 'silent', 'left', 'unseen']),
  standing: z.enum(['accepted', 'asks', 'other-key', 'removed']),
  seq: count,
  cursor: count,
  lag: count,
  gaps: count,
  missing: z.object({ ...range, since: text }).nullable(),
  lost: z.array(z.object(range)),
  trust,
  agents: z.array(agent),
  agentsTotal: count,
  room: count,
  version: text,
  heartbeatAt: nullableText,
  seenAt: nullableText,
  keyId: text,
  shownKeyId: nullableText,
});

const incident = shape<api.NodeIncidentView>({
  id: text,
  kind: text,
  title: text,
  detail: text,
  node: nullableText,
  actions: texts,
  openedAt: text,
});

const link = shape<api.LinkView>({ source: text, reader: text, seq: count, cursor: count, lag: count });

const delivery = shape<api.DeliveryView>({
  agentId: text,
  nodeId: text,
  acceptedAt: nullableText,
  processedAt: nullableText,
  failedAt: nullableText,
});

const skillTarget = shape<api.SkillTargetView>({
  agentId: text,
  nodeId: text,
  skill: text,
  version: text,
  state: z.enum(['waiting', 'accepted', 'confirmed', 'refused']),
  reason: nullableText,
  requiredBy: text,
  late: flag,
});

const capabilityReview = shape<api.CapabilityReviewView>({
  record: json,
  agentId: text,
  openedBy: text,
  detail: text,
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
    uses: count,
    checked: count,
    accepted: count,
    etaKept: count,
    costUsd: z.number(),
  }).optional(),
});
const skillRef = z.object({ name: text, version: text, path: text.optional() });

const sentMessage = shape<api.SentMessageView>({ envelope: json, receipts: z.array(delivery) });

/** Other machines: the federation and its messages. */
export const FEDERATION_SCHEMAS = {
  NodeStatusRequest: z.object({
    /** Answers at once, also while the node still connects. */
    now: flag.optional(),
  }),
  NodeStatusAnswer: shape<api.NodeStatusAnswer>({
    nodeId: text,
    federation: text,
    transport: z.enum(['nats', 'local', 'memory']),
    connected: flag,
    problem: nullableText,
    version: text,
    trustRule: z.enum(['first', 'listed']),
    gapPolicy: z.enum(['tombstone', 'skip', 'halt']),
    agents: z.array(agent),
    peers: z.array(peer),
    peersTotal: count,
    incidents: z.array(incident),
    epoch: text,
    seq: count,
    keyId: text,
    owned: texts,
  }),
  JoinRequest: z.object({
    transport: z.enum(['nats', 'local']),
    url: text.optional(),
    /** Absolute paths on the node's machine. */
    creds: text.optional(),
    folder: text.optional(),
    /** By default the name of the machine. */
    node: text.optional(),
    name: text.optional(),
  }),
  JoinAnswer: shape<api.JoinAnswer>({ nodeId: text, transport: z.enum(['nats', 'local']), file: text, peers: count }),
  LeaveAnswer: shape<api.LeaveAnswer>({ nodeId: text, file: text }),
  LinksRequest: z.object({
    /** Those between other nodes, too. */
    all: flag.optional(),
  }),
  LinkList: shape<api.LinkList>({ links: z.array(link), total: count }),
  IncidentRequest: z.object({ incident: text }),
  DismissAnswer: shape<api.DismissAnswer>({ id: text, kind: text, closedAt: text }),
  NodeRequest: z.object({ node: text }),
  TrustRequest: z.object({
    node: text,
    /** The key that was compared: refused if the node shows another one now. */
    key: text.optional(),
  }),
  TrustAnswer: shape<api.TrustAnswer>({ nodeId: text, trust, keyId: text }),
  CapabilityView: capability,
  CapabilityList: shape<api.CapabilityList>({ capabilities: z.array(capability) }),
  CapabilityQuestion: z.object({
    /** Removed ones, too. */
    all: flag.optional(),
  }),
  CapabilityRequest: z.object({ capability: text }),
  CapabilityReviewClosing: z.object({
    /** rev_… */
    review: text,
    note: text.optional(),
  }),
  CapabilityReviewView: capabilityReview,
  /** A catalog record; the owner's node adds what it knows better. */
  CapabilityPublication: z.object({
    capabilityId: text,
    version: text,
    ownerAgentId: text,
    executorSkillRef: skillRef,
    name: text.optional(),
    status: z.enum(['active', 'deprecated']).optional(),
    ownerNodeId: text.optional(),
    delegationSkillRef: skillRef.optional(),
    contractSchemaRef: text.optional(),
    defaultEtaSeconds: z.number().optional(),
    publishedAt: text.optional(),
    publishedByAgentId: text.optional(),
    eligibleAgentIds: texts.optional(),
    /** The JSON Schema that contractSchemaRef names. */
    contract: z.union([json, flag]).optional(),
  }),
  MessageDraft: z.object({
    /** Agents (emma), agents of one node (emma@laptop), nodes, or all alone. */
    to: z.array(text).min(1),
    body: text,
    subject: text.optional(),
    priority: z.enum(['low', 'normal', 'high', 'critical']).optional(),
    expectsReply: flag.optional(),
    /** An agent of this node; by default the node itself. */
    from: text.optional(),
    /** Ties messages together; a new one if absent. */
    corrId: text.min(1).max(CORR_ID_CHARACTERS_MAX).optional(),
    expiresInSeconds: z.int().min(1).optional(),
  }),
  SentMessage: sentMessage,
  SentRequest: z.object({ event: text.optional() }),
  SentMessages: shape<api.SentMessages>({ messages: z.array(sentMessage) }),
  MailRequest: z.object({
    /** One agent of this node; all of them if absent. */
    agent: text.optional(),
    /** Messages that were read before too. */
    all: flag.optional(),
    /** They stay unread. */
    peek: flag.optional(),
    limit: z.int().min(1).optional(),
  }),
  MessageList: shape<api.MessageList>({ messages: z.array(json) }),
  ReplyDraft: z.object({ event: text, body: text, from: text.optional() }),
} as const;
