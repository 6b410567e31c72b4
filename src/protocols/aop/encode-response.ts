import type { Order } from '../../domain/order.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import type { Report } from '../../domain/report.ts';
import type { MemberState } from '../../domain/session-report.ts';
import { warningText } from '../../domain/warning.ts';
import { isAccepted } from '../../domain/work-verdict.ts';
import { fitResponse } from './fit-response.ts';
import type { ResponseMessage } from './schema/response.ts';
import {
  ARTIFACT_STATUSES,
  CHECKPOINT_STATUSES,
  CLAIMED_SIGNALS,
  FINAL_SIGNALS,
  ROLLBACK_STATUSES,
  TASK_STATES,
} from './words.ts';

/** AOP §5, aop:response: the answer to a TASK. */
export function encodeResponse(order: Pick<Order, 'sessionId' | 'taskId'>, report: Report): ResponseMessage {
  return fitResponse({
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'RESPONSE',
    session_id: order.sessionId,
    task_id: order.taskId,
    agent: { ...report.agent, model: report.agent.model || 'unknown' },
    task_status: {
      state: TASK_STATES[stateOf(report)],
      final_signal: FINAL_SIGNALS[report.verdict],
      message: report.message,
    },
    execution_summary: summaryOf(report),
    checkpoint_results: report.checkpoints.map(({ id, status, output, evidence, notes }) => {
      return {
        checkpoint_id: id,
        status: CHECKPOINT_STATUSES[status],
        validation_output: output,
        evidence: [...evidence],
        notes,
      };
    }),
    error_details: errorDetailsOf(report),
    timing: timingOf(report),
    cost_tracking: {
      estimated_cost_usd: report.spend.estimatedUsd,
      actual_cost_usd: report.spend.costUsd,
      tokens_input: report.spend.tokensInput,
      tokens_output: report.spend.tokensOutput,
      model_pricing_tier: report.spend.tier ?? 'unknown',
    },
    progress_log: {
      last_progress_event_at: report.progress.at === null ? null : new Date(report.progress.at).toISOString(),
      progress_percentage: report.progress.percentage,
    },
    // The agent's own fields are kept, but Baton's are never the agent's.
    extensions: { ...report.claim?.extensions, x_baton: extensionOf(report) },
  });
}

function stateOf({ isSkipped, verdict }: Report): MemberState {
  if (isSkipped) return 'skipped';
  return isAccepted(verdict) ? 'completed' : verdict;
}

function summaryOf({ claim, summary, actions, files, warnings, errors }: Report): ResponseMessage['execution_summary'] {
  return {
    summary,
    actions: [...actions],
    output_artifacts: files.map(({ type, path, status, sha256, sizeBytes }) => {
      const hash = sha256 === null ? null : `sha256:${sha256}`;
      return { type, path, hash, status: ARTIFACT_STATUSES[status], size_bytes: sizeBytes };
    }),
    warnings: [...new Set(warnings.map(warningText))],
    errors: [...errors],
    ...(claim?.summaryExtensions && { extensions: { ...claim.summaryExtensions } }),
  };
}

function errorDetailsOf({ code, message, attempts }: Report): ResponseMessage['error_details'] {
  if (code === null) return null;
  const codes = [code, ...attempts.flatMap((attempt) => attempt.code ?? [])];
  return {
    error_code: code,
    message: message || code,
    stack_trace: null,
    recovery_suggestions: [...new Set(codes)].map((one) => REFUSALS[one].hint),
    attempts: attempts.map(({ number, run, agent, provider, model, ...attempt }) => {
      return { attempt: number, run, agent, provider, model, error_code: attempt.code, message: attempt.message };
    }),
  };
}

const MS_PER_SECOND = 1_000;

function timingOf({ timing: { startedAt, completedAt, retries } }: Report): ResponseMessage['timing'] {
  return {
    started_at: new Date(startedAt).toISOString(),
    completed_at: new Date(completedAt).toISOString(),
    duration_seconds: Math.max(0, completedAt - startedAt) / MS_PER_SECOND,
    retries_attempted: retries,
  };
}

/** Findings that the document has no field for. */
function extensionOf(report: Report): Record<string, unknown> {
  const { claim, agentReport = null } = report;
  return {
    task: report.task,
    run: report.run,
    unchecked: report.verdict === 'unchecked',
    checks: report.checks,
    receipt: report.receipt,
    agent_claim: claim && {
      final_signal: claim.result && CLAIMED_SIGNALS[claim.result],
      error_code: claim.code,
      message: claim.message,
    },
    agent_report: agentReport && {
      outcome: agentReport.outcome,
      summary_ref: agentReport.summaryRef,
      blockers: agentReport.blockers,
      tests: agentReport.tests,
      notes: agentReport.notes,
    },
    written_by_baton: report.summaryBy === 'baton' || report.actionsBy === 'baton',
    violations: report.violations,
    ...(report.oldTests && { old_tests: report.oldTests }),
    executed_by_git: report.executedByGit ?? [],
    not_looked_at: report.notLookedAt ?? [],
    git_changes: report.gitChanges ?? [],
    ignored_changes: report.ignoredChanges ?? [],
    sandbox: report.sandbox,
    workplace: report.workplace,
    commits: report.commits,
    rolled_back: report.rollback.map(({ path, restoredFrom, status }) => {
      return { path, restored_from: restoredFrom, status: ROLLBACK_STATUSES[status] };
    }),
  };
}
