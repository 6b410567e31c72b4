import * as z from 'zod';
import { AOF_NOTES_CHARACTERS_MAX } from '../../../domain/limits.ts';
import { COMPLETION_OUTCOMES } from '../../../domain/resolve-completion.ts';
import { count, taskName, text, textUpTo } from '../../fields.ts';
import { envelope } from './envelope.ts';
import { blockersSchema, deliverablesSchema } from './lists.ts';

export const outcomeSchema = z.enum(COMPLETION_OUTCOMES);
export const testReportSchema = z.object({ total: count(), passed: count(), failed: count() });
export const notesSchema = textUpTo(AOF_NOTES_CHARACTERS_MAX, 0);

/** AOF/1, Completion Report Payload. The task is the envelope's; aof:task-id lets the payload repeat it. */
export const completionReportSchema = envelope(
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
