import { AOP_RESPONSE_BYTES_MAX } from '../../domain/federation/message-limits.ts';
import type { Order } from '../../domain/order/order.ts';
import type { Report } from '../../domain/order/report.ts';
import { warningText } from '../../domain/order/warning.ts';
import { isAccepted } from '../../domain/order/work-verdict.ts';
import { hintFor } from '../../domain/refusal.ts';
import type { MemberState } from '../../domain/session/session-report.ts';
import { isJsonObject } from '../../domain/words/json-object.ts';
import { isLargerThan } from '../text-size.ts';
import { encodeAop } from './encode.ts';
import type { ResponseMessage } from './schema/response.ts';
import {
  ARTIFACT_STATUSES,
  aopCode,
  CHECKPOINT_STATUSES,
  FINAL_SIGNALS,
  ROLLBACK_STATUSES,
  SIGNAL_OF_RESULT,
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

function errorDetailsOf({ task, code, message, attempts }: Report): ResponseMessage['error_details'] {
  if (code === null) return null;
  const codes = [code, ...attempts.flatMap((attempt) => attempt.code ?? [])];
  return {
    error_code: aopCode(code),
    message: message || aopCode(code),
    stack_trace: null,
    recovery_suggestions: [...new Set(codes)].map((one) => hintFor(one, task)),
    attempts: attempts.map(({ number, run, agent, provider, model, ...attempt }) => {
      return {
        attempt: number,
        run,
        agent,
        provider,
        model,
        error_code: attempt.code && aopCode(attempt.code),
        message: attempt.message,
      };
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
      final_signal: claim.result && SIGNAL_OF_RESULT[claim.result],
      error_code: claim.code && aopCode(claim.code),
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

/** Decreasing lengths; the last fits any message. */
const STEPS = [
  { characters: 50_000, items: 2_000 },
  { characters: 10_000, items: 1_000 },
  { characters: 2_000, items: 300 },
  { characters: 600, items: 60 },
  { characters: 100, items: 5 },
] as const;

/** Never shortened: the schema bounds names, and a part of one is meaningless. */
const WHOLE: ReadonlySet<string> = new Set(['session_id', 'task_id', 'checkpoint_id', 'name', 'hash', 'task', 'run']);

/** AOP §4: never over the hard limit. Long texts lose their middle, long lists their end, and it says so. */
function fitResponse(message: ResponseMessage): ResponseMessage {
  if (fits(message)) return message;
  const noted = withNote(withoutOwn(message));
  if (fits(noted)) return noted;
  for (const step of STEPS) {
    const shorter = shortened(noted, step) as ResponseMessage;
    if (fits(shorter)) return shorter;
  }
  throw new Error('a RESPONSE of the shortest texts and lists is too large');
}

/** The agent's own extensions go first: an object of any form cannot be shortened. */
function withoutOwn({ extensions, execution_summary: summary, ...message }: ResponseMessage): ResponseMessage {
  const { extensions: _, ...kept } = summary ?? {};
  return { ...message, ...(summary && { execution_summary: kept }), extensions: { x_baton: extensions?.x_baton } };
}

/** A text with more characters than the limit has bytes is not encoded just to be measured. */
function fits(message: ResponseMessage): boolean {
  if (charactersOf(message) > AOP_RESPONSE_BYTES_MAX) return false;
  return !isLargerThan(encodeAop(message), AOP_RESPONSE_BYTES_MAX);
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + charactersOf(part), 0);
}

function withNote(message: ResponseMessage): ResponseMessage {
  const { execution_summary: summary } = message;
  const note = `E_PAYLOAD_SIZE_WARNING: it was shortened to ${AOP_RESPONSE_BYTES_MAX} bytes`;
  return { ...message, execution_summary: { ...summary, warnings: [note, ...(summary?.warnings ?? [])] } };
}

interface Step {
  readonly characters: number;
  readonly items: number;
}

function shortened(value: unknown, step: Step): unknown {
  if (typeof value === 'string') return withoutMiddle(value, step.characters);
  if (Array.isArray(value)) return value.slice(0, step.items).map((item) => shortened(item, step));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([key, field]) => {
    return [key, typeof field === 'string' && WHOLE.has(key) ? field : shortened(field, step)];
  });
  return Object.fromEntries(fields);
}

/** Output is cut at its start, because its end matters most; a sentence is cut at its end. */
function withoutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor((max - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`.toWellFormed();
}
