import * as z from 'zod';
import { amount, count, id, instant, text } from '../../fields.ts';
import {
  aopPrioritySchema,
  checkpointStatusSchema,
  networkSchema,
  providerSchema,
  roleSchema,
  workflowPatternSchema,
} from './enums.ts';
import { coreObject, fullHeader, optionalOrNull, textListSchema } from './parts.ts';

const sessionSchema = coreObject({
  session_id: id(),
  created_at: instant(),
  orchestrator: text(),
  origin: text(),
  workflow_pattern: optionalOrNull(workflowPatternSchema),
});

const targetSchema = coreObject({
  agent_name: id(),
  role: roleSchema,
  provider: providerSchema,
  model: text(),
  execution_profile: optionalOrNull(z.enum(['fast', 'balanced', 'thorough'])),
  capabilities: optionalOrNull(
    coreObject({
      aop_versions_supported: optionalOrNull(textListSchema),
      file_system_access: optionalOrNull(z.boolean()),
      network_access: optionalOrNull(networkSchema),
      headless_mode: optionalOrNull(z.boolean()),
    }),
  ),
});

const validationSchema = coreObject({
  command: text(),
  expects: z.enum(['EXIT_CODE_0', 'MATCH_FOUND', 'NO_MATCH', 'FILE_EXISTS']),
});

const inputSchema = coreObject({
  type: text(),
  path: optionalOrNull(text()),
  content: optionalOrNull(z.string()),
  url: optionalOrNull(text()),
  description: optionalOrNull(z.string()),
  read_only: optionalOrNull(z.boolean()),
});

const rollbackSnapshotSchema = coreObject({
  enabled: optionalOrNull(z.boolean()),
  snapshot_path: optionalOrNull(text()),
  snapshot_strategy: optionalOrNull(z.enum(['COPY', 'GIT_STASH', 'DIFF', 'NONE'])),
});

const expectedOutputSchema = coreObject({
  type: text(),
  path: optionalOrNull(text()),
  description: text(),
  validation: optionalOrNull(validationSchema),
  rollback_snapshot: optionalOrNull(rollbackSnapshotSchema),
});

/** An artifact that a checkpoint expects: like an output, but only `type` is required. */
const expectedArtifactSchema = coreObject({
  type: text(),
  path: optionalOrNull(text()),
  description: optionalOrNull(z.string()),
  validation: optionalOrNull(validationSchema),
  rollback_snapshot: optionalOrNull(rollbackSnapshotSchema),
});

const budgetShape = { max_cost_usd: optionalOrNull(amount()), max_tokens: optionalOrNull(count()) };

const taskBodySchema = coreObject({
  task_id: id(),
  parent_task_id: optionalOrNull(id()),
  attempt: optionalOrNull(count(1)),
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
  priority: optionalOrNull(aopPrioritySchema),
  environment: coreObject({
    workspace_root: text(),
    os: optionalOrNull(z.string()),
    shell: optionalOrNull(z.string()),
    git_branch: optionalOrNull(z.string()),
  }),
  inputs: optionalOrNull(z.array(inputSchema)),
  expected_outputs: optionalOrNull(z.array(expectedOutputSchema)),
  constraints: optionalOrNull(
    coreObject({
      max_tokens: optionalOrNull(count()),
      max_cost_usd: optionalOrNull(amount()),
      read_only_mode: optionalOrNull(z.boolean()),
      delegation_allowed: optionalOrNull(z.boolean()),
      network_access: optionalOrNull(networkSchema),
    }),
  ),
  budgets: optionalOrNull(coreObject(budgetShape)),
  access: optionalOrNull(
    coreObject({
      filesystem: optionalOrNull(
        coreObject({ read_paths: optionalOrNull(textListSchema), write_paths: optionalOrNull(textListSchema) }),
      ),
      network: optionalOrNull(networkSchema),
    }),
  ),
});

const executionPolicySchema = coreObject({
  timeout_seconds: optionalOrNull(count(1)),
  max_retries: optionalOrNull(count()),
  retry_backoff_seconds: optionalOrNull(z.array(count())),
  abort_on_first_critical_error: optionalOrNull(z.boolean()),
  auto_terminate_on_timeout: optionalOrNull(z.boolean()),
  on_failure: optionalOrNull(z.enum(['REPORT_AND_CONTINUE', 'ABORT_SESSION', 'RETRY'])),
  alternative_models: optionalOrNull(
    z.array(
      coreObject({
        provider: providerSchema,
        model: text(),
        fallback_trigger: z.enum(['TIMEOUT', 'FIRST_ERROR', 'CRITICAL_ERROR', 'ALL_ERRORS', 'COST_LIMIT_EXCEEDED']),
      }),
    ),
  ),
  heartbeat: optionalOrNull(
    coreObject({
      enabled: optionalOrNull(z.boolean()),
      interval_seconds: optionalOrNull(count(1)),
      max_missed_beats: optionalOrNull(count(1)),
      on_heartbeat_failure: optionalOrNull(z.enum(['ABORT', 'WARN', 'CONTINUE'])),
    }),
  ),
});

const guardRailsSchema = coreObject({
  require_minimal_report: optionalOrNull(z.boolean()),
  require_final_signal: optionalOrNull(z.boolean()),
  auto_terminate_on_timeout: optionalOrNull(z.boolean()),
  timeout_seconds: optionalOrNull(count(1)),
  abort_on_first_critical_error: optionalOrNull(z.boolean()),
});

const phaseSchema = coreObject({
  phase_id: id(),
  phase_order: z.int(),
  label: text(),
  objective: text(),
  checkpoints: optionalOrNull(
    z.array(
      coreObject({
        checkpoint_id: id(),
        description: text(),
        expected_artifacts: optionalOrNull(z.array(expectedArtifactSchema)),
        validation: optionalOrNull(validationSchema),
        status: optionalOrNull(checkpointStatusSchema),
        recovery_strategy: optionalOrNull(z.enum(['RETRY', 'ABORT', 'CONTINUE', 'SKIP'])),
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
  execution_policy: optionalOrNull(executionPolicySchema),
  guard_rails: optionalOrNull(guardRailsSchema),
  phases: optionalOrNull(z.array(phaseSchema)),
  orchestration_metadata: optionalOrNull(
    coreObject({
      initiator: optionalOrNull(z.string()),
      spec_author: optionalOrNull(z.string()),
      tags: optionalOrNull(textListSchema),
      notes: optionalOrNull(z.string()),
    }),
  ),
  // AOP §1.2: a TASK MUST NOT contain task_status.
  task_status: z.never().optional(),
});

export type TaskMessage = z.infer<typeof taskMessageSchema>;
