import * as z from 'zod';
import { amount, count, id, instant, text } from '../../fields.ts';
import {
  checkpointStatusSchema,
  networkSchema,
  prioritySchema,
  providerSchema,
  roleSchema,
  workflowPatternSchema,
} from './enums.ts';
import { coreObject, fullHeader, optional, textListSchema } from './parts.ts';

const sessionSchema = coreObject({
  session_id: id(),
  created_at: instant(),
  orchestrator: text(),
  origin: text(),
  workflow_pattern: optional(workflowPatternSchema),
});

const targetSchema = coreObject({
  agent_name: id(),
  role: roleSchema,
  provider: providerSchema,
  model: text(),
  execution_profile: optional(z.enum(['fast', 'balanced', 'thorough'])),
  capabilities: optional(
    coreObject({
      aop_versions_supported: optional(textListSchema),
      file_system_access: optional(z.boolean()),
      network_access: optional(networkSchema),
      headless_mode: optional(z.boolean()),
    }),
  ),
});

const validationSchema = coreObject({
  command: text(),
  expects: z.enum(['EXIT_CODE_0', 'MATCH_FOUND', 'NO_MATCH', 'FILE_EXISTS']),
});

const inputSchema = coreObject({
  type: text(),
  path: optional(text()),
  content: optional(z.string()),
  url: optional(text()),
  description: optional(z.string()),
  read_only: optional(z.boolean()),
});

const rollbackSnapshotSchema = coreObject({
  enabled: optional(z.boolean()),
  snapshot_path: optional(text()),
  snapshot_strategy: optional(z.enum(['COPY', 'GIT_STASH', 'DIFF', 'NONE'])),
});

const expectedOutputSchema = coreObject({
  type: text(),
  path: optional(text()),
  description: text(),
  validation: optional(validationSchema),
  rollback_snapshot: optional(rollbackSnapshotSchema),
});

/** An artifact that a checkpoint expects: like an output, but only `type` is required. */
const expectedArtifactSchema = coreObject({
  type: text(),
  path: optional(text()),
  description: optional(z.string()),
  validation: optional(validationSchema),
  rollback_snapshot: optional(rollbackSnapshotSchema),
});

const budgetShape = { max_cost_usd: optional(amount()), max_tokens: optional(count()) };

const taskBodySchema = coreObject({
  task_id: id(),
  parent_task_id: optional(id()),
  attempt: optional(count(1)),
  objective: text(),
  category: z.enum([
    'ANALYSIS',
    'CODE_GENERATION',
    'CODE_REFACTORING',
    'TESTING',
    'DEBUGGING',
    'DOCUMENTATION',
    'PLANNING',
    'REVIEW',
    'OTHER',
  ]),
  complexity: z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']),
  priority: optional(prioritySchema),
  environment: coreObject({
    workspace_root: text(),
    os: optional(z.string()),
    shell: optional(z.string()),
    git_branch: optional(z.string()),
  }),
  inputs: optional(z.array(inputSchema)),
  expected_outputs: optional(z.array(expectedOutputSchema)),
  constraints: optional(
    coreObject({
      max_tokens: optional(count()),
      max_cost_usd: optional(amount()),
      read_only_mode: optional(z.boolean()),
      delegation_allowed: optional(z.boolean()),
      network_access: optional(networkSchema),
    }),
  ),
  budgets: optional(coreObject(budgetShape)),
  access: optional(
    coreObject({
      filesystem: optional(coreObject({ read_paths: optional(textListSchema), write_paths: optional(textListSchema) })),
      network: optional(networkSchema),
    }),
  ),
});

const executionPolicySchema = coreObject({
  timeout_seconds: optional(count(1)),
  max_retries: optional(count()),
  retry_backoff_seconds: optional(z.array(count())),
  abort_on_first_critical_error: optional(z.boolean()),
  auto_terminate_on_timeout: optional(z.boolean()),
  on_failure: optional(z.enum(['REPORT_AND_CONTINUE', 'ABORT_SESSION', 'RETRY'])),
  alternative_models: optional(
    z.array(
      coreObject({
        provider: providerSchema,
        model: text(),
        fallback_trigger: z.enum(['TIMEOUT', 'FIRST_ERROR', 'CRITICAL_ERROR', 'ALL_ERRORS', 'COST_LIMIT_EXCEEDED']),
      }),
    ),
  ),
  heartbeat: optional(
    coreObject({
      enabled: optional(z.boolean()),
      interval_seconds: optional(count(1)),
      max_missed_beats: optional(count(1)),
      on_heartbeat_failure: optional(z.enum(['ABORT', 'WARN', 'CONTINUE'])),
    }),
  ),
});

const guardRailsSchema = coreObject({
  require_minimal_report: optional(z.boolean()),
  require_final_signal: optional(z.boolean()),
  auto_terminate_on_timeout: optional(z.boolean()),
  timeout_seconds: optional(count(1)),
  abort_on_first_critical_error: optional(z.boolean()),
});

const phaseSchema = coreObject({
  phase_id: id(),
  phase_order: z.int(),
  label: text(),
  objective: text(),
  checkpoints: optional(
    z.array(
      coreObject({
        checkpoint_id: id(),
        description: text(),
        expected_artifacts: optional(z.array(expectedArtifactSchema)),
        validation: optional(validationSchema),
        status: optional(checkpointStatusSchema),
        recovery_strategy: optional(z.enum(['RETRY', 'ABORT', 'CONTINUE', 'SKIP'])),
      }),
    ),
  ),
});

/** AOP §2: an order to an agent. */
export const taskMessageSchema = coreObject({
  ...fullHeader('TASK'),
  session: sessionSchema,
  target: targetSchema,
  task: taskBodySchema,
  execution_policy: optional(executionPolicySchema),
  guard_rails: optional(guardRailsSchema),
  phases: optional(z.array(phaseSchema)),
  orchestration_metadata: optional(
    coreObject({
      initiator: optional(z.string()),
      spec_author: optional(z.string()),
      tags: optional(textListSchema),
      notes: optional(z.string()),
    }),
  ),
  // AOP §1.2: a TASK MUST NOT contain task_status.
  task_status: z.never().optional(),
});

export type TaskMessage = z.infer<typeof taskMessageSchema>;
