import type { Provider } from '../../domain/agent.ts';
import { compareChecks } from '../../domain/decisions/compare-checks.ts';
import { judgeAttempt } from '../../domain/decisions/judge-attempt.ts';
import { type Attempt, type Execution, lastCommit, lastRun } from '../../domain/execution/execution.ts';
import type { CheckResult, FinalSignal, Outcome } from '../../domain/execution/fact.ts';
import { REFUSALS, type RefusalCode } from '../../domain/refusal.ts';
import { accountOf } from './account-of-execution.ts';
import { artifactsOf, type MeasuredFile } from './artifacts-of-execution.ts';
import { checkpointResultsOf } from './checkpoint-results-of-execution.ts';
import { claimedResponse, lastClaim } from './claimed-response.ts';
import { fitResponse } from './fit-response.ts';
import type { ResponseMessage } from './schema/response.ts';

/** Data of an execution that its facts do not contain. */
export interface ResponseSurroundings {
  /** The agent of the last attempt, whether or not it started. */
  readonly agent: { readonly name: string; readonly provider: Provider; readonly model: string };
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly completedAt: number;
  /** TASK-…: Baton's own name for it. */
  readonly taskName: string;
  /** The path of its receipt; null where there is none. */
  readonly receiptPath: string | null;
  /** The expected files that are there, as they are: those that the work did not change are told too. */
  readonly measured: readonly MeasuredFile[];
}

/** AOP §5: the answer to a TASK that is settled, every field of the document from Baton's own findings where it has one. */
export function responseOf(execution: Execution, about: ResponseSurroundings): ResponseMessage {
  const { order, outcome } = execution;
  if (outcome === null) throw new Error('an order is answered once it is settled');
  const artifacts = artifactsOf(execution, about.measured);
  const { summary, actions, warnings, errors, isBatons } = accountOf(execution, outcome, artifacts);
  return fitResponse({
    aop_version: '2.0.2-C',
    schema_version: '2.0.2',
    protocol_family: 'AOP',
    message_type: 'RESPONSE',
    session_id: order.sessionId,
    task_id: order.taskId,
    agent: { ...about.agent, model: about.agent.model || 'unknown' },
    task_status: { state: stateOf(execution, outcome), final_signal: outcome.signal, message: outcome.message },
    execution_summary: {
      summary,
      actions: [...actions],
      output_artifacts: artifacts,
      warnings: [...new Set(warnings)],
      errors: [...new Set(errors)],
    },
    checkpoint_results: checkpointResultsOf(execution),
    error_details: errorDetailsOf(execution, outcome),
    timing: timingOf(execution, about),
    cost_tracking: costOf(execution),
    progress_log: progressOf(execution, outcome),
    extensions: { x_baton: batonsOwn(execution, outcome, { about, isBatons }) },
  });
}

const STATES = {
  SUCCESS: 'COMPLETED',
  PARTIAL_SUCCESS: 'COMPLETED',
  FAILURE: 'FAILED',
  ABORTED: 'ABORTED',
} as const satisfies Record<FinalSignal, string>;

/** aop:dependencies: what was never tried, because of another task, was skipped. */
function stateOf({ attempts }: Execution, { signal, code }: Outcome): ResponseMessage['task_status']['state'] {
  return code === 'E_DEPENDENCY_FAILED' && attempts.length === 0 ? 'SKIPPED' : STATES[signal];
}

function errorDetailsOf(execution: Execution, { code, message }: Outcome): ResponseMessage['error_details'] {
  if (code === null) return null;
  const attempts = execution.attempts.map((attempt, at) => attemptOf(execution, attempt, at));
  const codes = [code, ...attempts.flatMap(({ error_code }) => error_code ?? [])];
  return {
    error_code: code,
    message: message || code,
    stack_trace: null,
    recovery_suggestions: [...new Set(codes)].map((one) => REFUSALS[one].hint),
    attempts: attempts.map((attempt) => ({ ...attempt })),
  };
}

interface ToldAttempt {
  readonly attempt: number;
  readonly run: string | null;
  readonly agent: string | null;
  readonly provider: string;
  readonly model: string;
  readonly error_code: RefusalCode | null;
  readonly message: string;
}

function attemptOf({ order }: Execution, attempt: Attempt, at: number): ToldAttempt {
  const { provider, model } =
    (attempt.alternative === null ? order.target : order.alternatives[attempt.alternative]) ?? order.target;
  const about = { attempt: at + 1, run: attempt.runId, agent: attempt.agent, provider, model };
  if (attempt.end === null) return { ...about, error_code: null, message: 'it has not ended' };
  const verdict = judgeAttempt(order, attempt);
  if (verdict.kind === 'lost') return { ...about, error_code: null, message: 'lost with the node that carried it' };
  const code = verdict.kind === 'failed' || verdict.kind === 'aborted' ? verdict.code : null;
  const error_code = verdict.kind === 'checkpoint-failed' ? 'E_UNKNOWN' : code;
  return { ...about, error_code, message: verdict.message };
}

const MS_PER_SECOND = 1_000;

function timingOf(
  { attempts }: Execution,
  { startedAt, completedAt }: ResponseSurroundings,
): ResponseMessage['timing'] {
  const runs = attempts.filter(({ runId, end }) => runId !== null && end?.kind !== 'lost').length;
  return {
    started_at: new Date(startedAt).toISOString(),
    completed_at: new Date(completedAt).toISOString(),
    duration_seconds: Math.max(0, completedAt - startedAt) / MS_PER_SECOND,
    retries_attempted: Math.max(0, runs - 1),
  };
}

/** Sums of dollars are kept free of what binary fractions leave behind. */
const DOLLAR_PARTS = 1_000_000_000;

/** The sum over all attempts, as their agents reported it. */
function costOf(execution: Execution): ResponseMessage['cost_tracking'] {
  const spends = execution.attempts.flatMap(({ ended }) => ended?.spend ?? []);
  const sum = (of: (spend: (typeof spends)[number]) => number) => spends.reduce((total, spend) => total + of(spend), 0);
  const actual = Math.round(sum(({ costUsd }) => costUsd) * DOLLAR_PARTS) / DOLLAR_PARTS;
  const claimed = claimedResponse(lastClaim(execution))?.cost_tracking?.estimated_cost_usd;
  return {
    estimated_cost_usd: claimed ?? actual,
    actual_cost_usd: actual,
    tokens_input: sum(({ tokensInput }) => tokensInput),
    tokens_output: sum(({ tokensOutput }) => tokensOutput),
    model_pricing_tier: spends.findLast(({ tier }) => tier !== null)?.tier ?? 'unknown',
  };
}

const WHOLE_PERCENTAGE = 100;

/** Without a progress report: 100 where the order completed, else 0. */
function progressOf(execution: Execution, { signal }: Outcome): ResponseMessage['progress_log'] {
  const progress = lastRun(execution)?.ended?.progress ?? null;
  const presumed = STATES[signal] === 'COMPLETED' ? WHOLE_PERCENTAGE : 0;
  return {
    last_progress_event_at: progress && new Date(progress.at).toISOString(),
    progress_percentage: progress?.percentage ?? presumed,
  };
}

interface Own {
  readonly about: ResponseSurroundings;
  readonly isBatons: boolean;
}

function batonsOwn(execution: Execution, outcome: Outcome, { about, isBatons }: Own): Record<string, unknown> {
  const { admitted, snapshotted, rolledBack } = execution;
  const last = lastRun(execution);
  const claim = lastClaim(execution);
  return {
    task: about.taskName,
    run: last?.runId ?? null,
    unchecked: outcome.isUnchecked,
    checks: compareChecks(made(snapshotted?.checks ?? []), made(last?.verified?.results ?? [])),
    receipt: about.receiptPath,
    agent_claim: claim && { final_signal: claim.signal, error_code: claim.code, message: claim.message },
    written_by_baton: isBatons,
    violations: last?.collected?.violations ?? [],
    sandbox: admitted?.sandbox ?? null,
    workplace: snapshotted?.workplace.kind ?? null,
    commits: { before: snapshotted?.commit ?? null, after: lastCommit(execution) },
    rolled_back: (rolledBack?.files ?? []).map(({ path, restoredFrom, status }) => {
      return { path, restored_from: restoredFrom, status };
    }),
  };
}

function made(results: readonly CheckResult[]): Parameters<typeof compareChecks>[0] {
  return results.flatMap(({ id, result }) => (result === 'not-checkable' ? [] : [{ id, result }]));
}
