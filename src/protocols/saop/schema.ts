import * as z from 'zod';
import { amount, count, freeForm, hash, id, instantUtc, text, uuid } from '../fields.ts';

// Loose, so that `.parse` retains unknown fields (common:unknown-fields). The encoder writes fields in this order.

const agentIdSchema = z.enum(['researcher', 'architect', 'developer', 'reviewer']);

/** SAOP §1. The agent's own text may be empty, other strings may not (common:required-strings). */
export const TurnEnvelopeSchema = z.looseObject({
  turn_index: count(),
  agent_id: agentIdSchema,
  role: agentIdSchema,
  content: z.looseObject({ thought: z.string(), action: z.string(), observation: z.string() }),
  metadata: z.looseObject({
    version: z.literal('1.0.0'),
    task_id: id(),
    timestamp: instantUtc(),
    confidence: z.number().min(0).max(1),
    estimated_complexity: z.enum(['low', 'medium', 'high']),
  }),
});

const thoughtStreamSchema = z.looseObject({
  type: z.literal('THOUGHT_STREAM'),
  agent_id: agentIdSchema,
  turn_index: count(),
  chunk: z.string(),
  is_final: z.boolean(),
});

const toolLifecycleInvokedSchema = z.looseObject({
  type: z.literal('TOOL_LIFECYCLE_INVOKED'),
  call_id: id(),
  tool: text(),
  arguments: freeForm(),
  timestamp: instantUtc(),
});

const toolLifecycleCompletedSchema = z.looseObject({
  type: z.literal('TOOL_LIFECYCLE_COMPLETED'),
  call_id: id(),
  tool: text(),
  status: z.enum(['success', 'failure', 'timeout']),
  duration_ms: amount(),
  timestamp: instantUtc(),
});

const taskTransitionSchema = z.looseObject({
  type: z.literal('TASK_TRANSITION'),
  task_id: id(),
  from_state: text(),
  to_state: text(),
  git_hash: hash().optional(),
  timestamp: instantUtc(),
});

const sandboxPulseSchema = z.looseObject({
  type: z.literal('SANDBOX_PULSE'),
  line: text(),
  masked: z.boolean(),
  timestamp: instantUtc(),
});

/** SAOP §2, the five payloads. */
export const EventPayloadSchema = z.discriminatedUnion('type', [
  thoughtStreamSchema,
  toolLifecycleInvokedSchema,
  toolLifecycleCompletedSchema,
  taskTransitionSchema,
  sandboxPulseSchema,
]);

/** SAOP §2, a payload as it is on the bus. */
export const EventSchema = z.looseObject({ event_id: uuid(), session_id: id(), payload: EventPayloadSchema });

export type TurnEnvelope = z.infer<typeof TurnEnvelopeSchema>;
export type EventPayload = z.infer<typeof EventPayloadSchema>;
export type SaopEvent = z.infer<typeof EventSchema>;
export type SaopMessage = TurnEnvelope | SaopEvent;
