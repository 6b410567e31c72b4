import * as z from 'zod';
import { id, instant, taskName } from '../../fields.ts';
import { acceptanceCriteriaSchema } from './acceptance-criteria.ts';
import { envelope } from './envelope.ts';
import { handoffListSchema } from './lists.ts';

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

export const handoffRequestSchema = envelope('handoff.request', handoffSchema);

export type Handoff = z.infer<typeof handoffSchema>;
export type HandoffRequest = z.infer<typeof handoffRequestSchema>;
