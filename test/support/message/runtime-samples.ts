import type { EnvelopeKind, RecordKind } from '../../../src/protocols/runtime/markers.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The envelope of Runtime §1 without kind, recipient and payload. */
export const ENVELOPE = {
  eventId: 'evt_01JV3M2N8V1ZK4J2A0M7Y6P9QF',
  seq: 1842,
  sourceNodeId: 'vps-jane',
  sourceAgentId: 'architect',
  corrId: 'corr_01JV3M2B1P2M4E6R7T8Y9U0I1O',
  createdAt: '2026-02-25T16:22:10.123Z',
  expiresAt: '2026-02-26T16:22:10.123Z',
  trace: {
    attempt: 1,
    routingPolicyVersion: 'rpv_2026_02_25_1',
    capabilityPolicyVersion: 'cpv_2026_02_25_3',
  },
} as const;

/** An event in the key order of the document. */
export function eventOf(kind: EnvelopeKind, payload: unknown): Fields {
  const { eventId, seq, trace, ...middle } = ENVELOPE;
  return { eventId, seq, kind, ...middle, payload, trace };
}

interface PayloadSample {
  /** Every field the payload may have, in the order of the document. */
  readonly all: Fields;
  readonly required: readonly string[];
  readonly corrId: 'must' | 'may';
}

const TASK_ID = 'tsk_01JV3Q9A1V7M4R3N8E2W0D6Y5U';
const REF_EVENT_ID = 'evt_01JV3M2N8V1ZK4J2A0M7Y6P9QF';

const TASK_CREATE: Fields = {
  taskId: TASK_ID,
  title: 'Publish v1 release checklist',
  description: 'Generate and validate release checklist for plugin v1.3.0',
  toAgents: ['executor-mbp'],
  requiredCapabilities: ['cap.release.checklist'],
  priority: 'high',
  requesterAgentId: 'architect',
  responseRequired: true,
  deadlineAt: '2026-02-25T20:00:00.000Z',
  taskType: 'skill_distribution',
  capabilityId: 'cap.fs.diff-apply',
  delegationSkillRef: { name: 'ansible-delegate-fs', version: '1.3.0', path: '/skills/ansible-delegate-fs' },
  requiredBy: '2026-02-25T18:30:00.000Z',
};

const ACK: Fields = {
  refEventId: REF_EVENT_ID,
  refKind: 'task_create',
  ackType: 'accepted',
  ackedByNodeId: 'mbp-jane',
  ackedByAgentId: 'executor-mbp',
  ackedAt: '2026-02-25T16:31:00.000Z',
  etaAt: '2026-02-25T18:00:00.000Z',
  etaSeconds: 5340,
};

/** The payloads of the document, completed with what its examples leave out. */
export const PAYLOADS: Readonly<Record<EnvelopeKind, PayloadSample>> = {
  message: {
    all: {
      toAgents: ['mbp-jane', 'vps-jane'],
      subject: 'Coordination update',
      body: 'Build completed. Please validate release notes.',
      priority: 'normal',
      expectsReply: false,
    },
    required: ['toAgents', 'body'],
    corrId: 'may',
  },
  reply: { all: { refEventId: REF_EVENT_ID, body: 'Validated.' }, required: ['refEventId', 'body'], corrId: 'must' },
  ack: {
    all: ACK,
    required: ['refEventId', 'refKind', 'ackType', 'ackedByNodeId', 'ackedAt'],
    corrId: 'must',
  },
  task_create: { all: TASK_CREATE, required: ['taskId', 'title', 'toAgents'], corrId: 'must' },
  task_accept: {
    all: {
      taskId: TASK_ID,
      acceptedByAgentId: 'executor-mbp',
      etaAt: '2026-02-25T18:00:00.000Z',
      etaSeconds: 5340,
      planSummary: 'Validate checklist template, gather release artifacts, emit final report.',
    },
    required: ['taskId', 'acceptedByAgentId', 'etaAt'],
    corrId: 'must',
  },
  task_update: {
    all: {
      taskId: TASK_ID,
      status: 'in_progress',
      progress: 60,
      note: 'Artifact scan complete; validating links.',
      revisedEtaAt: '2026-02-25T18:30:00.000Z',
    },
    required: ['taskId', 'status'],
    corrId: 'must',
  },
  task_complete: {
    all: {
      taskId: TASK_ID,
      completedByAgentId: 'executor-mbp',
      resultSummary: 'Checklist generated and validated.',
      resultRef: 'artifact://reports/release-checklist-1.3.0.md',
      completedAt: '2026-02-25T17:54:10.000Z',
    },
    required: ['taskId', 'completedByAgentId', 'completedAt'],
    corrId: 'must',
  },
  task_failed: {
    all: {
      taskId: TASK_ID,
      failedByAgentId: 'executor-mbp',
      failureClass: 'dependency_missing',
      errorSummary: 'Release artifacts missing changelog metadata.',
      failedAt: '2026-02-25T17:40:02.000Z',
    },
    required: ['taskId', 'failedByAgentId', 'failureClass', 'failedAt'],
    corrId: 'must',
  },
  signal: { all: { any: { thing: [1, 'two', null] } }, required: [], corrId: 'may' },
  dead_letter: {
    all: { refEventId: REF_EVENT_ID, refKind: 'task_create', reason: 'no ack after 15 attempts', attempts: 15 },
    required: ['refEventId', 'refKind', 'reason', 'attempts'],
    corrId: 'may',
  },
};

/** The records of the document, word for word. */
export const RECORDS: Readonly<Record<RecordKind, Fields>> = {
  catalog: {
    capabilityId: 'cap.fs.diff-apply',
    name: 'Filesystem Diff Apply',
    version: '1.3.0',
    status: 'active',
    ownerAgentId: 'executor-mbp',
    ownerNodeId: 'mbp-jane',
    delegationSkillRef: { name: 'ansible-delegate-fs', version: '1.3.0', path: '/skills/ansible-delegate-fs' },
    executorSkillRef: { name: 'ansible-executor-fs', version: '1.3.0', path: '/skills/ansible-executor-fs' },
    contractSchemaRef: 'schema://ansible/cap.fs.diff-apply/1.3.0',
    defaultEtaSeconds: 900,
    publishedAt: '2026-02-25T16:30:00.000Z',
    publishedByAgentId: 'architect',
  },
  index: {
    capabilityId: 'cap.fs.diff-apply',
    eligibleAgentIds: ['executor-mbp'],
    policyVersion: 'cpv_2026_02_25_3',
    updatedAt: '2026-02-25T16:30:05.000Z',
  },
  cursor: {
    consumerNodeId: 'mbp-jane',
    sourceNodeId: 'vps-jane',
    lastSeq: 1842,
    updatedAt: '2026-02-25T16:32:00.000Z',
    status: 'active',
    leaseExpiresAt: '2026-02-25T16:37:00.000Z',
    epoch: 'route-epoch-2026-02-25T16:00:00.000Z',
  },
  review: {
    reviewId: 'rev_01JV3T7E6Q8M1W2R4D9K0N5P7H',
    capabilityId: 'cap.fs.diff-apply',
    delegationSkillVersion: '1.3.0',
    executorSkillVersion: '1.3.0',
    failureClass: 'sla_breach',
    sampleCorrIds: ['corr_01...', 'corr_02...'],
    createdAt: '2026-02-25T18:05:00.000Z',
  },
};
