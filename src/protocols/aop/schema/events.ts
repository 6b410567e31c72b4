import * as z from 'zod';
import { amount, count, freeForm, hash, id, instant, percentage, text } from '../../fields.ts';
import { finalSignalSchema, prioritySchema, stateSchema, workflowPatternSchema } from './enums.ts';
import { coreObject, eventHeader, optional } from './parts.ts';

const aboutTask = { session_id: id(), task_id: id(), timestamp: instant() };

/** AOP §6.1 */
export const heartbeatSchema = coreObject({
  ...eventHeader('HEARTBEAT'),
  ...aboutTask,
  agent: optional(text()),
  progress_percentage: optional(percentage()),
  current_phase: optional(text()),
  current_checkpoint: optional(text()),
});

/** AOP §6.2 */
export const progressUpdateSchema = coreObject({
  ...eventHeader('PROGRESS_UPDATE'),
  ...aboutTask,
  agent: optional(text()),
  progress: coreObject({
    percentage: percentage(),
    current_phase: optional(text()),
    current_checkpoint: optional(text()),
    message: optional(z.string()),
    estimated_time_remaining_seconds: optional(amount()),
  }),
});

/** AOP §7 */
export const rollbackInitiatedSchema = coreObject({
  ...eventHeader('ROLLBACK_INITIATED'),
  ...aboutTask,
  agent: optional(text()),
  trigger: optional(z.enum(['TASK_ABORTED', 'TASK_FAILED', 'MANUAL'])),
  artifacts_rolled_back: optional(
    z.array(
      coreObject({
        path: optional(text()),
        restored_from: optional(text()),
        status: optional(z.enum(['SUCCESS', 'FAILED'])),
      }),
    ),
  ),
});

/** AOP §8 */
export const priorityEscalationSchema = coreObject({
  ...eventHeader('PRIORITY_ESCALATION'),
  ...aboutTask,
  agent: optional(text()),
  old_priority: optional(prioritySchema),
  new_priority: optional(prioritySchema),
  reason: optional(z.string()),
  escalated_by: optional(z.string()),
});

/** AOP §1.3, aop:version-fallback. */
export const versionFallbackSchema = coreObject({
  ...eventHeader('VERSION_FALLBACK'),
  session_id: optional(id()),
  task_id: optional(id()),
  timestamp: instant(),
  agent: optional(text()),
  reason: optional(text()),
  from_version: optional(z.string()),
  to_version: optional(z.string()),
  errors: optional(z.array(coreObject({ path: optional(z.string()), message: optional(z.string()) }))),
  input_preview: optional(z.string()),
  features_lost: optional(z.array(z.string())),
});

const reportedTaskSchema = coreObject({
  task_id: optional(id()),
  agent: optional(text()),
  state: optional(stateSchema),
  final_signal: optional(finalSignalSchema),
  attempts: optional(count()),
  duration_seconds: optional(amount()),
  error_code: optional(text()),
});

const delegationGraphSchema = coreObject({
  nodes: optional(z.array(coreObject({ task_id: optional(id()), agent: optional(text()), depth: optional(count()) }))),
  edges: optional(
    z.array(coreObject({ from: optional(id()), to: optional(id()), kind: optional(z.enum(['DELEGATES', 'DEPENDS'])) })),
  ),
});

/** AOP §10, aop:session-report. */
export const sessionFinalReportSchema = coreObject({
  ...eventHeader('SESSION_FINAL_REPORT'),
  session_id: id(),
  task_id: optional(id()),
  timestamp: instant(),
  agent: optional(text()),
  workflow_pattern: optional(workflowPatternSchema),
  final_signal: optional(finalSignalSchema),
  totals: optional(
    coreObject({
      tasks: optional(count()),
      completed: optional(count()),
      failed: optional(count()),
      aborted: optional(count()),
      skipped: optional(count()),
    }),
  ),
  tasks: optional(z.array(reportedTaskSchema)),
  delegation_graph: optional(delegationGraphSchema),
  cost_summary: optional(
    coreObject({
      estimated_cost_usd: optional(amount()),
      actual_cost_usd: optional(amount()),
      tokens_input: optional(count()),
      tokens_output: optional(count()),
      by_provider: optional(freeForm()),
      by_model: optional(freeForm()),
    }),
  ),
  audit_trail: optional(
    coreObject({ storage_path: optional(text()), records: optional(count()), sha256: optional(hash()) }),
  ),
});

export type HeartbeatEvent = z.infer<typeof heartbeatSchema>;
export type ProgressUpdateEvent = z.infer<typeof progressUpdateSchema>;
export type RollbackInitiatedEvent = z.infer<typeof rollbackInitiatedSchema>;
export type PriorityEscalationEvent = z.infer<typeof priorityEscalationSchema>;
export type VersionFallbackEvent = z.infer<typeof versionFallbackSchema>;
export type SessionFinalReportEvent = z.infer<typeof sessionFinalReportSchema>;
