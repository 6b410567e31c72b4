import * as z from 'zod';
import { amount, count, freeForm, hash, id, instant, percentage, text } from '../../fields.ts';
import { checkpointStatusSchema, finalSignalSchema, providerSchema, stateSchema } from './enums.ts';
import { coreObject, fullHeader, optional } from './parts.ts';

const agentSchema = coreObject({ name: id(), provider: providerSchema, model: text() });

const outputArtifactSchema = coreObject({
  type: text(),
  path: optional(text()),
  hash: optional(hash()),
  status: z.enum(['CREATED', 'UPDATED', 'DELETED', 'UNCHANGED']),
  size_bytes: optional(count()),
});

const executionSummarySchema = coreObject({
  summary: optional(z.string()),
  actions: optional(z.array(z.string())),
  output_artifacts: optional(z.array(outputArtifactSchema)),
  warnings: optional(z.array(z.string())),
  errors: optional(z.array(z.string())),
});

const checkpointResultSchema = coreObject({
  checkpoint_id: id(),
  status: checkpointStatusSchema,
  validation_output: optional(z.string()),
  evidence: optional(z.array(z.string())),
  notes: optional(z.string()),
});

const errorDetailsSchema = coreObject({
  error_code: text(),
  message: text(),
  stack_trace: optional(z.string()),
  recovery_suggestions: optional(z.array(z.string())),
  attempts: optional(z.array(freeForm())),
});

/** AOP §5: an agent's answer. */
export const responseMessageSchema = coreObject({
  ...fullHeader('RESPONSE'),
  session_id: id(),
  task_id: id(),
  agent: agentSchema,
  task_status: coreObject({
    state: stateSchema,
    final_signal: optional(finalSignalSchema),
    message: optional(z.string()),
  }),
  execution_summary: optional(executionSummarySchema),
  checkpoint_results: optional(z.array(checkpointResultSchema)),
  error_details: optional(errorDetailsSchema),
  timing: optional(
    coreObject({
      started_at: instant(),
      completed_at: instant(),
      duration_seconds: amount(),
      retries_attempted: optional(count()),
    }),
  ),
  cost_tracking: optional(
    coreObject({
      estimated_cost_usd: optional(amount()),
      actual_cost_usd: optional(amount()),
      tokens_input: optional(count()),
      tokens_output: optional(count()),
      model_pricing_tier: optional(z.string()),
    }),
  ),
  progress_log: optional(
    coreObject({ last_progress_event_at: optional(instant()), progress_percentage: optional(percentage()) }),
  ),
});

export type ResponseMessage = z.infer<typeof responseMessageSchema>;
