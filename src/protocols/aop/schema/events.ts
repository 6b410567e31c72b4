import * as z from 'zod';
import { amount, count, freeForm, hash, id, instant, percentage, text } from '../../fields.ts';
import { aopPrioritySchema, finalSignalSchema, stateSchema, workflowPatternSchema } from './enums.ts';
import { coreObject, eventHeader, optionalOrNull } from './parts.ts';

const aboutTask = { session_id: id(), task_id: id(), timestamp: instant() };

/** AOP §6.1 */
export const heartbeatSchema = coreObject({
  ...eventHeader('HEARTBEAT'),
  ...aboutTask,
  agent: optionalOrNull(text()),
  progress_percentage: optionalOrNull(percentage()),
  current_phase: optionalOrNull(text()),
  current_checkpoint: optionalOrNull(text()),
});

/** AOP §6.2 */
export const progressUpdateSchema = coreObject({
  ...eventHeader('PROGRESS_UPDATE'),
  ...aboutTask,
  agent: optionalOrNull(text()),
  progress: coreObject({
    percentage: percentage(),
    current_phase: optionalOrNull(text()),
    current_checkpoint: optionalOrNull(text()),
    message: optionalOrNull(z.string()),
    estimated_time_remaining_seconds: optionalOrNull(amount()),
  }),
});

/** AOP §7 */
export const rollbackInitiatedSchema = coreObject({
  ...eventHeader('ROLLBACK_INITIATED'),
  ...aboutTask,
  agent: optionalOrNull(text()),
  trigger: optionalOrNull(z.enum(['TASK_ABORTED', 'TASK_FAILED', 'MANUAL'])),
  artifacts_rolled_back: optionalOrNull(
    z.array(
      coreObject({
        path: optionalOrNull(text()),
        restored_from: optionalOrNull(text()),
        status: optionalOrNull(z.enum(['SUCCESS', 'FAILED'])),
      }),
    ),
  ),
});

/** AOP §8 */
export const priorityEscalationSchema = coreObject({
  ...eventHeader('PRIORITY_ESCALATION'),
  ...aboutTask,
  agent: optionalOrNull(text()),
  old_priority: optionalOrNull(aopPrioritySchema),
  new_priority: optionalOrNull(aopPrioritySchema),
  reason: optionalOrNull(z.string()),
  escalated_by: optionalOrNull(z.string()),
});

/** AOP §1.3, aop:version-fallback. */
export const versionFallbackSchema = coreObject({
  ...eventHeader('VERSION_FALLBACK'),
  session_id: optionalOrNull(id()),
  task_id: optionalOrNull(id()),
  timestamp: instant(),
  agent: optionalOrNull(text()),
  reason: optionalOrNull(text()),
  from_version: optionalOrNull(z.string()),
  to_version: optionalOrNull(z.string()),
  errors: optionalOrNull(
    z.array(coreObject({ path: optionalOrNull(z.string()), message: optionalOrNull(z.string()) })),
  ),
  input_preview: optionalOrNull(z.string()),
  features_lost: optionalOrNull(z.array(z.string())),
});

const reportedTaskSchema = coreObject({
  task_id: optionalOrNull(id()),
  agent: optionalOrNull(text()),
  state: optionalOrNull(stateSchema),
  final_signal: optionalOrNull(finalSignalSchema),
  attempts: optionalOrNull(count()),
  duration_seconds: optionalOrNull(amount()),
  error_code: optionalOrNull(text()),
});

const delegationGraphSchema = coreObject({
  nodes: optionalOrNull(
    z.array(
      coreObject({ task_id: optionalOrNull(id()), agent: optionalOrNull(text()), depth: optionalOrNull(count()) }),
    ),
  ),
  edges: optionalOrNull(
    z.array(
      coreObject({
        from: optionalOrNull(id()),
        to: optionalOrNull(id()),
        kind: optionalOrNull(z.enum(['DELEGATES', 'DEPENDS'])),
      }),
    ),
  ),
});

/** AOP §10, aop:session-report. */
export const sessionFinalReportSchema = coreObject({
  ...eventHeader('SESSION_FINAL_REPORT'),
  session_id: id(),
  task_id: optionalOrNull(id()),
  timestamp: instant(),
  agent: optionalOrNull(text()),
  workflow_pattern: optionalOrNull(workflowPatternSchema),
  final_signal: optionalOrNull(finalSignalSchema),
  totals: optionalOrNull(
    coreObject({
      tasks: optionalOrNull(count()),
      completed: optionalOrNull(count()),
      failed: optionalOrNull(count()),
      aborted: optionalOrNull(count()),
      skipped: optionalOrNull(count()),
    }),
  ),
  tasks: optionalOrNull(z.array(reportedTaskSchema)),
  delegation_graph: optionalOrNull(delegationGraphSchema),
  cost_summary: optionalOrNull(
    coreObject({
      estimated_cost_usd: optionalOrNull(amount()),
      actual_cost_usd: optionalOrNull(amount()),
      tokens_input: optionalOrNull(count()),
      tokens_output: optionalOrNull(count()),
      by_provider: optionalOrNull(freeForm()),
      by_model: optionalOrNull(freeForm()),
    }),
  ),
  audit_trail: optionalOrNull(
    coreObject({
      storage_path: optionalOrNull(text()),
      records: optionalOrNull(count()),
      sha256: optionalOrNull(hash()),
    }),
  ),
});

export type HeartbeatEvent = z.infer<typeof heartbeatSchema>;
export type ProgressUpdateEvent = z.infer<typeof progressUpdateSchema>;
export type RollbackInitiatedEvent = z.infer<typeof rollbackInitiatedSchema>;
export type PriorityEscalationEvent = z.infer<typeof priorityEscalationSchema>;
export type VersionFallbackEvent = z.infer<typeof versionFallbackSchema>;
export type SessionFinalReportEvent = z.infer<typeof sessionFinalReportSchema>;
