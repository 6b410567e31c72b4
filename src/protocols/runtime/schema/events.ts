import * as z from 'zod';
import { count, freeForm, id, instant, percentage, text } from '../../fields.ts';
import {
  envelope,
  idListSchema,
  refKindSchema,
  runtimePrioritySchema,
  skillRefSchema,
  uncorrelatedEnvelope,
} from './envelope.ts';

/** Runtime §3 */
const messagePayloadSchema = z.object({
  toAgents: z.array(id()).min(1),
  subject: z.string().optional(),
  body: text(),
  priority: runtimePrioritySchema.optional(),
  expectsReply: z.boolean().optional(),
});

const messageSchema = uncorrelatedEnvelope('message', messagePayloadSchema);

export type MessageEnvelope = z.infer<typeof messageSchema>;

/** runtime:required */
const replySchema = envelope('reply', z.object({ refEventId: id(), body: text() }));

export type ReplyEnvelope = z.infer<typeof replySchema>;

/** Runtime §4, and §7 for the last four fields, which a skill distribution adds (runtime:skill-distribution). */
const taskCreatePayloadSchema = z.object({
  taskId: id(),
  title: text(),
  description: z.string().optional(),
  toAgents: idListSchema.optional(),
  requiredCapabilities: idListSchema.optional(),
  priority: runtimePrioritySchema.optional(),
  requesterAgentId: id().optional(),
  responseRequired: z.boolean().optional(),
  deadlineAt: instant().optional(),
  taskType: z.string().optional(),
  capabilityId: id().optional(),
  delegationSkillRef: skillRefSchema.optional(),
  requiredBy: instant().optional(),
});

const taskCreateSchema = envelope('task_create', taskCreatePayloadSchema);

export type TaskCreateEnvelope = z.infer<typeof taskCreateSchema>;

/** Runtime §4 */
const taskAcceptShape = {
  taskId: id(),
  acceptedByAgentId: id(),
  etaAt: instant().optional(),
  etaSeconds: count().optional(),
  planSummary: z.string().optional(),
};

const taskAcceptSchema = envelope('task_accept', z.object(taskAcceptShape));

export type TaskAcceptEnvelope = z.infer<typeof taskAcceptSchema>;

/** Runtime §4; `status` is free (runtime:values). */
const taskUpdatePayloadSchema = z.object({
  taskId: id(),
  status: text(),
  progress: percentage().optional(),
  note: z.string().optional(),
  revisedEtaAt: instant().optional(),
});

const taskUpdateSchema = envelope('task_update', taskUpdatePayloadSchema);

export type TaskUpdateEnvelope = z.infer<typeof taskUpdateSchema>;

/** Runtime §4 */
const taskCompletePayloadSchema = z.object({
  taskId: id(),
  completedByAgentId: id(),
  resultSummary: z.string().optional(),
  resultRef: z.string().optional(),
  completedAt: instant(),
});

const taskCompleteSchema = envelope('task_complete', taskCompletePayloadSchema);

export type TaskCompleteEnvelope = z.infer<typeof taskCompleteSchema>;

/** Runtime §4; any failureClass is accepted: an unknown one reads as `unknown` (runtime:values). */
const taskFailedPayloadSchema = z.object({
  taskId: id(),
  failedByAgentId: id(),
  failureClass: text(),
  errorSummary: z.string().optional(),
  failedAt: instant(),
});

const taskFailedSchema = envelope('task_failed', taskFailedPayloadSchema);

export type TaskFailedEnvelope = z.infer<typeof taskFailedSchema>;

/** Runtime §5 */
const ackPayloadSchema = z.object({
  refEventId: id(),
  refKind: refKindSchema,
  ackType: z.enum(['accepted', 'processed', 'failed_terminal']),
  ackedByNodeId: id(),
  ackedByAgentId: id().optional(),
  ackedAt: instant(),
  etaAt: instant().optional(),
  etaSeconds: count().optional(),
});

/** runtime:task-ack: an ack without refEventId has the payload of a task_accept. */
const taskPayloadSchema = z.object({ ...taskAcceptShape, refEventId: z.never().optional() });

const eventAckSchema = envelope('ack', ackPayloadSchema);
export const taskAckSchema = envelope('ack', taskPayloadSchema);

/** Both profiles in one schema, for publication. A decoder picks one of the two and so explains errors better. */
export const ackSchema = envelope('ack', z.union([ackPayloadSchema, taskPayloadSchema]));

export type EventAckEnvelope = z.infer<typeof eventAckSchema>;
export type TaskAckEnvelope = z.infer<typeof taskAckSchema>;

/** runtime:kinds: the content of a signal is free. */
const signalSchema = uncorrelatedEnvelope('signal', freeForm());

export type SignalEnvelope = z.infer<typeof signalSchema>;

/** runtime:required, runtime:resend: an event that its sender gave up on. */
const deadLetterPayloadSchema = z.object({
  refEventId: id(),
  refKind: refKindSchema,
  reason: text(),
  attempts: count(1),
});

const deadLetterSchema = uncorrelatedEnvelope('dead_letter', deadLetterPayloadSchema);

export type DeadLetterEnvelope = z.infer<typeof deadLetterSchema>;

export type TaskEnvelope =
  | TaskCreateEnvelope
  | TaskAcceptEnvelope
  | TaskUpdateEnvelope
  | TaskCompleteEnvelope
  | TaskFailedEnvelope;

/** Runtime §4: the life of a task as events. */
const TASK_EVENT_SCHEMAS = {
  task_create: taskCreateSchema,
  task_accept: taskAcceptSchema,
  task_update: taskUpdateSchema,
  task_complete: taskCompleteSchema,
  task_failed: taskFailedSchema,
} as const;

export type RuntimeEnvelope =
  | MessageEnvelope
  | ReplyEnvelope
  | EventAckEnvelope
  | TaskAckEnvelope
  | TaskEnvelope
  | SignalEnvelope
  | DeadLetterEnvelope;

/** The messages of the data plane, by `kind`. */
export const EVENT_SCHEMAS = {
  message: messageSchema,
  reply: replySchema,
  ack: eventAckSchema,
  ...TASK_EVENT_SCHEMAS,
  signal: signalSchema,
  dead_letter: deadLetterSchema,
} as const;
