import * as z from 'zod';
import { id, instant, text } from '../../fields.ts';
import { envelope } from './envelope.ts';
import { idListSchema, prioritySchema, skillRefSchema } from './parts.ts';

/** Runtime §4, and §7 for the last four, which a skill distribution has beside the others (runtime:skill-distribution). */
const taskCreatePayloadSchema = z.object({
  taskId: id(),
  title: text(),
  description: z.string().optional(),
  toAgents: idListSchema.optional(),
  requiredCapabilities: idListSchema.optional(),
  priority: prioritySchema.optional(),
  requesterAgentId: id().optional(),
  responseRequired: z.boolean().optional(),
  deadlineAt: instant().optional(),
  taskType: z.string().optional(),
  capabilityId: id().optional(),
  delegationSkillRef: skillRefSchema.optional(),
  requiredBy: instant().optional(),
});

export const taskCreateSchema = envelope('task_create', taskCreatePayloadSchema);

export type TaskCreateEnvelope = z.infer<typeof taskCreateSchema>;
