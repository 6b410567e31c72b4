import * as z from 'zod';
import {
  AOF_BLOCKERS_MAX,
  AOF_DELIVERABLES_MAX,
  AOF_HANDOFF_LIST_ITEMS_MAX,
  AOF_LIST_ITEM_CHARACTERS_MAX,
  AOF_NOTES_CHARACTERS_MAX,
  AOF_PROGRESS_CHARACTERS_MAX,
  AOF_REASON_CHARACTERS_MAX,
} from '../../../domain/federation/message-limits.ts';
import { COMPLETION_OUTCOMES } from '../../../domain/task/resolve-completion.ts';
import { TASK_STATUSES } from '../../../domain/task/task-lifecycle.ts';
import { count, freeForm, id, instant, taskName, text, textUpTo } from '../../fields.ts';
import type { IssueDetail } from '../../issue.ts';

/** In the order of the document's table. */
export const AOF_MESSAGE_TYPES = [
  'completion.report',
  'status.update',
  'handoff.request',
  'handoff.accepted',
  'handoff.rejected',
] as const;

export type AofMessageType = (typeof AOF_MESSAGE_TYPES)[number];

/** AOF/1, Envelope Fields; `projectId` is aof:project. */
function envelope<Type extends AofMessageType, Payload extends z.ZodType>(type: Type, payload: Payload) {
  return z.object({ ...head, type: z.literal(type), ...route, payload });
}

const head = { protocol: z.literal('aof'), version: z.literal(1) };
const route = {
  projectId: id().optional(),
  taskId: taskName(),
  fromAgent: id(),
  toAgent: id(),
  sentAt: instant(),
};

/** For a message without a type: its other errors are still reported. */
export const untypedEnvelopeSchema = z.object({
  ...head,
  type: z.enum(AOF_MESSAGE_TYPES),
  ...route,
  payload: freeForm(),
});

// aof:limits: the document asks for strings only, so an item may be empty.
const listItemSchema = textUpTo(AOF_LIST_ITEM_CHARACTERS_MAX, 0);

export const deliverablesSchema = z.array(listItemSchema).max(AOF_DELIVERABLES_MAX);
export const blockersSchema = z.array(listItemSchema).max(AOF_BLOCKERS_MAX);
const handoffListSchema = z.array(listItemSchema).max(AOF_HANDOFF_LIST_ITEMS_MAX);

export const outcomeSchema = z.enum(COMPLETION_OUTCOMES);
export const testReportSchema = z.object({ total: count(), passed: count(), failed: count() });
export const notesSchema = textUpTo(AOF_NOTES_CHARACTERS_MAX, 0);

/** AOF/1, Completion Report Payload. The envelope names the task; aof:task-id lets the payload repeat it. */
const completionReportSchema = envelope(
  'completion.report',
  z.object({
    taskId: taskName().optional(),
    outcome: outcomeSchema,
    summaryRef: text(),
    deliverables: deliverablesSchema.optional(),
    tests: testReportSchema,
    blockers: blockersSchema.optional(),
    notes: notesSchema,
  }),
);

export type TestReport = z.infer<typeof testReportSchema>;
export type CompletionReport = z.infer<typeof completionReportSchema>;

/** AOF/1, Status Update Payload. */
const statusUpdateSchema = envelope(
  'status.update',
  z.object({
    taskId: taskName(),
    agentId: id(),
    status: z.enum(TASK_STATUSES).optional(),
    progress: textUpTo(AOF_PROGRESS_CHARACTERS_MAX, 0).optional(),
    blockers: blockersSchema.optional(),
    notes: notesSchema.optional(),
  }),
);

export type StatusUpdate = z.infer<typeof statusUpdateSchema>;

const ITEM_TOO_LONG: IssueDetail = { kind: 'too-long', max: AOF_LIST_ITEM_CHARACTERS_MAX, unit: 'characters' };

const ITEM_PUBLISHED = {
  anyOf: [{ type: 'string', maxLength: AOF_LIST_ITEM_CHARACTERS_MAX }, { not: { type: 'string' } }],
};

/** aof:acceptance-criteria: only the limits are errors. rules.ts warns of items that are not strings, decode.ts drops them. */
const acceptanceCriteriaSchema = z
  .custom<string[]>()
  .check((payload) => {
    const list: unknown = payload.value;
    if (!Array.isArray(list)) return;
    if (list.length > AOF_HANDOFF_LIST_ITEMS_MAX) {
      payload.issues.push({ code: 'too_big', origin: 'array', maximum: AOF_HANDOFF_LIST_ITEMS_MAX, input: list });
    }
    list.forEach((item: unknown, at) => {
      if (typeof item !== 'string' || item.length <= AOF_LIST_ITEM_CHARACTERS_MAX) return;
      if (handoffListSchema.element.safeParse(item).success) return;
      payload.issues.push({ code: 'custom', path: [at], params: ITEM_TOO_LONG, input: item });
    });
  })
  .meta({
    anyOf: [{ type: 'array', maxItems: AOF_HANDOFF_LIST_ITEMS_MAX, items: ITEM_PUBLISHED }, { not: { type: 'array' } }],
  });

/** AOF/1, Handoff Request Payload; handoff.json is the same object (Handoff Artifacts). */
export const handoffSchema = z.object({
  taskId: taskName(),
  parentTaskId: taskName(),
  fromAgent: id(),
  toAgent: id(),
  acceptanceCriteria: acceptanceCriteriaSchema.optional(),
  expectedOutputs: handoffListSchema.optional(),
  contextRefs: handoffListSchema.optional(),
  constraints: handoffListSchema.optional(),
  dueBy: instant(),
});

const handoffRequestSchema = envelope('handoff.request', handoffSchema);

export type Handoff = z.infer<typeof handoffSchema>;
export type HandoffRequest = z.infer<typeof handoffRequestSchema>;

/** AOF/1, Handoff Acceptance/Rejection. */
const handoffAcceptedSchema = envelope('handoff.accepted', z.object({ taskId: taskName(), accepted: z.literal(true) }));

/** AOF/1, Handoff Acceptance/Rejection. */
const handoffRejectedSchema = envelope(
  'handoff.rejected',
  z.object({
    taskId: taskName(),
    accepted: z.literal(false),
    reason: textUpTo(AOF_REASON_CHARACTERS_MAX, 0).optional(),
  }),
);

/** The five types of AOF/1, in the order of the document's table. */
export const MESSAGE_SCHEMAS = {
  'completion.report': completionReportSchema,
  'status.update': statusUpdateSchema,
  'handoff.request': handoffRequestSchema,
  'handoff.accepted': handoffAcceptedSchema,
  'handoff.rejected': handoffRejectedSchema,
} as const;

export type AofEnvelope = z.infer<(typeof MESSAGE_SCHEMAS)[keyof typeof MESSAGE_SCHEMAS]>;
