import * as z from 'zod';
import { freeForm, id, instant, taskName, text } from '../../fields.ts';

/** AOF/1, Artifacts: run.json, written when a lease is acquired. aof:task-file: `output` and `outputs` both occur. */
export const runSchema = z.object({
  taskId: taskName(),
  agentId: id(),
  startedAt: instant(),
  status: z.enum(['running', 'completed', 'failed', 'abandoned']),
  artifactPaths: z
    .object({
      inputs: text().optional(),
      work: text().optional(),
      output: text().optional(),
      outputs: text().optional(),
    })
    .optional(),
  metadata: freeForm().optional(),
});

export type Run = z.infer<typeof runSchema>;
