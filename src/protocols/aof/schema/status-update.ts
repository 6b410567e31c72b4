import * as z from 'zod';
import { AOF_PROGRESS_CHARACTERS_MAX } from '../../../domain/limits.ts';
import { TASK_STATUSES } from '../../../domain/task-lifecycle.ts';
import { id, taskName, textUpTo } from '../../fields.ts';
import { notesSchema } from './completion-report.ts';
import { envelope } from './envelope.ts';
import { blockersSchema } from './lists.ts';

/** AOF/1, Status Update Payload. */
export const statusUpdateSchema = envelope(
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
