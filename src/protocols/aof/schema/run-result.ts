import * as z from 'zod';
import { id, instant, taskName, text } from '../../fields.ts';
import { notesSchema, outcomeSchema, testReportSchema } from './completion-report.ts';
import { blockersSchema, deliverablesSchema } from './lists.ts';

/** AOF/1, run_result.json Schema. An agent may write it itself (aof:own-result), and a report has no handoffRef. */
export const runResultSchema = z.object({
  taskId: taskName(),
  agentId: id(),
  completedAt: instant(),
  outcome: outcomeSchema,
  summaryRef: text(),
  handoffRef: text().optional(),
  deliverables: deliverablesSchema.optional(),
  tests: testReportSchema,
  blockers: blockersSchema.optional(),
  notes: notesSchema,
});

export type RunResult = z.infer<typeof runResultSchema>;
