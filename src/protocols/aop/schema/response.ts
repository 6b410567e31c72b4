import * as z from 'zod';
import { amount, count, freeForm, hash, id, instant, percentage, text } from '../../fields.ts';
import { checkpointStatusSchema, finalSignalSchema, providerSchema, stateSchema } from './enums.ts';
import { coreObject, fullHeader, optionalOrNull } from './parts.ts';

const agentSchema = coreObject({ name: id(), provider: providerSchema, model: text() });

const outputArtifactSchema = coreObject({
  type: text(),
  path: optionalOrNull(text()),
  hash: optionalOrNull(hash()),
  status: z.enum(['CREATED', 'UPDATED', 'DELETED', 'UNCHANGED']),
  size_bytes: optionalOrNull(count()),
});

const executionSummarySchema = coreObject({
  summary: optionalOrNull(z.string()),
  actions: optionalOrNull(z.array(z.string())),
  output_artifacts: optionalOrNull(z.array(outputArtifactSchema)),
  warnings: optionalOrNull(z.array(z.string())),
  errors: optionalOrNull(z.array(z.string())),
});

const checkpointResultSchema = coreObject({
  checkpoint_id: id(),
  status: checkpointStatusSchema,
  validation_output: optionalOrNull(z.string()),
  evidence: optionalOrNull(z.array(z.string())),
  notes: optionalOrNull(z.string()),
});

const errorDetailsSchema = coreObject({
  error_code: text(),
  message: text(),
  stack_trace: optionalOrNull(z.string()),
  recovery_suggestions: optionalOrNull(z.array(z.string())),
  attempts: optionalOrNull(z.array(freeForm())),
});

/** AOP §5: an agent's answer. */
export const responseMessageSchema = coreObject({
  ...fullHeader('RESPONSE'),
  session_id: id(),
  task_id: id(),
  agent: agentSchema,
  task_status: coreObject({
    state: stateSchema,
    final_signal: optionalOrNull(finalSignalSchema),
    message: optionalOrNull(z.string()),
  }),
  execution_summary: optionalOrNull(executionSummarySchema),
  checkpoint_results: optionalOrNull(z.array(checkpointResultSchema)),
  error_details: optionalOrNull(errorDetailsSchema),
  timing: optionalOrNull(
    coreObject({
      started_at: instant(),
      completed_at: instant(),
      duration_seconds: amount(),
      retries_attempted: optionalOrNull(count()),
    }),
  ),
  cost_tracking: optionalOrNull(
    coreObject({
      estimated_cost_usd: optionalOrNull(amount()),
      actual_cost_usd: optionalOrNull(amount()),
      tokens_input: optionalOrNull(count()),
      tokens_output: optionalOrNull(count()),
      model_pricing_tier: optionalOrNull(z.string()),
    }),
  ),
  progress_log: optionalOrNull(
    coreObject({
      last_progress_event_at: optionalOrNull(instant()),
      progress_percentage: optionalOrNull(percentage()),
    }),
  ),
});

export type ResponseMessage = z.infer<typeof responseMessageSchema>;
