import { type ModelUsage, sumByModel } from '../agent/model-spend.ts';
import type { Checkpoint } from '../order/order.ts';
import type { Report, ReportedAttempt, ReportedCheckpoint, ReportedFile } from '../order/report.ts';
import { isAccepted } from '../order/work-verdict.ts';
import { compareChecks } from '../work/compare-checks.ts';
import { pairCheckpoints } from '../work/pair-checkpoints.ts';
import { wholePath } from '../work/path-text.ts';
import type { CheckResult } from './check-result.ts';
import { describeWork } from './describe-work.ts';
import { type Attempt, type Execution, judgementOf, lastRun } from './execution.ts';
import type { Outcome } from './fact.ts';
import type { ChangedFile, Claim } from './findings.ts';
import { judgeAttempt } from './judge-attempt.ts';
import { changesLeft, gitChangesOf, gitSearchOf, ignoredOf, lastCommit } from './recorded-changes.ts';
import { isSessionRefused } from './vendor-session.ts';

/** A file as it was measured, whether or not the run changed it. */
type MeasuredFile = Pick<ChangedFile, 'path' | 'sha256' | 'sizeBytes'>;

/** Inputs of a report that are no facts of the execution. */
export interface ReportSurroundings extends Pick<Report, 'agent' | 'task' | 'receipt' | 'lines' | 'whole'> {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly completedAt: number;
  /** The expected files that exist: the report lists those that the work did not change, too. */
  readonly measured: readonly MeasuredFile[];
  /** Words of a person that no agent was told; absent: none. */
  readonly untold?: number;
}

/** The report of an order that is settled. */
export function makeReport(execution: Execution, about: ReportSurroundings): Report {
  const { order, outcome, admitted, snapshotted, rolledBack, attempts } = execution;
  if (outcome === null) throw new Error('an order is reported once it is settled');
  const last = lastRun(execution);
  const claim = lastClaim(last);
  const files = filesOf(execution, about.measured);
  return {
    task: about.task,
    run: last?.runId ?? null,
    agent: about.agent,
    ...judgementOf(execution),
    verdict: outcome.verdict,
    code: outcome.code,
    message: outcome.message,
    ...describeWork({ task: about.task, execution, outcome, claim, files, untold: about.untold ?? 0 }),
    files,
    ...(about.whole && { whole: about.whole }),
    ...(about.lines && { lines: about.lines }),
    commits: { before: snapshotted?.commit ?? null, after: lastCommit(execution) },
    checks: compareChecks(checkable(checksBefore(execution)), checkable(last?.verified?.results ?? [])),
    checkpoints: pairCheckpoints(order, last?.verified?.results ?? []).map(({ checkpoint, found }) =>
      found ? judged(checkpoint, found) : pending(checkpoint, last),
    ),
    attempts: attempts.map((attempt, at) => attemptOf(execution, attempt, at)),
    spend: spendOf(execution, claim),
    spendByModel: spendByModel(execution),
    progress: progressOf(last, outcome),
    timing: timingOf(execution, about),
    claim: claim && claimOf(claim),
    agentReport: agentReportOf(last),
    rollback: rolledBack?.files ?? [],
    violations: last?.collected?.violations ?? [],
    oldTests: last?.verified?.oldTests ?? null,
    ...gitSearchOf(execution),
    gitChanges: gitChangesOf(execution).gitChanges,
    ignoredChanges: ignoredOf(execution).ignoredChanges,
    sandbox: admitted?.sandbox ?? null,
    workplace: snapshotted?.workplace.kind ?? null,
    receipt: about.receipt,
  };
}

function lastClaim(last: Attempt | null): Claim | null {
  const end = last?.end;
  return end?.kind === 'finished' || end?.kind === 'failed' ? end.claim : null;
}

/** The completion report that the agent of the last run sent itself. */
export function agentReportOf(last: Attempt | null): Report['agentReport'] {
  const report = last?.ended?.report ?? null;
  if (report === null) return null;
  const { outcome, summaryRef, blockers, tests, notes } = report;
  return { outcome, summaryRef, blockers, tests, notes };
}

/** The checks before the work, also where another node made them. */
export function checksBefore({ snapshotted, remote }: Execution): readonly CheckResult[] {
  return snapshotted?.checks ?? remote?.answered?.answer.before ?? [];
}

/** Checks that could run. */
export function checkable(results: readonly CheckResult[]): Parameters<typeof compareChecks>[0] {
  return results.flatMap(({ id, result }) => (result === 'not-checkable' ? [] : [{ id, result }]));
}

/** No file system accepts a longer path. */
const PATH_CHARACTERS_MAX = 4_096;

/**
 * Every file that the work changed, expected ones first, and the expected ones that exist unchanged. A file that was put
 * back is as before, so it is left out.
 */
function filesOf(execution: Execution, measured: readonly MeasuredFile[]): readonly ReportedFile[] {
  const { order, snapshotted } = execution;
  const whole = (path: string) => wholePath(order.workspaceRoot, path);
  const changed = changesLeft(execution).filter(({ path }) => path.length <= PATH_CHARACTERS_MAX);
  const before = new Map((snapshotted?.outputs ?? []).map(({ path, sha256 }) => [whole(path), sha256]));
  const types = new Map(order.outputs.flatMap(({ type, path }) => (path === null ? [] : [[whole(path), type]])));
  const typeOf = (path: string) => types.get(path) ?? 'FILE';
  const found = changed.map(({ path, status, sha256, sizeBytes }) => {
    return { type: typeOf(whole(path)), path: whole(path), status, sha256, sizeBytes };
  });
  const reported = new Set(found.map(({ path }) => path));
  const same = measured
    .map((file) => ({ ...file, path: whole(file.path) }))
    .filter(({ path }) => types.has(path) && !reported.has(path))
    .map(({ path, sha256, sizeBytes }) => {
      return { type: typeOf(path), path, status: statusOf(sha256, before.get(path)), sha256, sizeBytes };
    });
  const isExpected = ({ path }: ReportedFile) => types.has(path);
  return [...found.filter(isExpected), ...same, ...found.filter((file) => !isExpected(file))];
}

/** The status of an output by its hash before the run, for a run that was not collected. */
function statusOf(sha256: string | null, before: string | null | undefined): ReportedFile['status'] {
  if (before === null) return 'created';
  return before === undefined || before === sha256 ? 'unchanged' : 'updated';
}

function judged(checkpoint: Checkpoint, found: CheckResult): ReportedCheckpoint {
  const { command, exitCode, message, tail } = found;
  const ran =
    command === null ? [] : [`${command} → ${exitCode === null ? 'did not end by itself' : `exit ${exitCode}`}`];
  return {
    id: checkpoint.id,
    status: checkpointStatus(checkpoint, found),
    output: tail === '' ? message : tail,
    evidence: [...ran, message],
    notes: notesOf(checkpoint, found),
  };
}

/** Skipped by its strategy, or because it defines nothing to check. */
function checkpointStatus({ onFailure }: Checkpoint, { result }: CheckResult): ReportedCheckpoint['status'] {
  if (result === 'passed') return 'passed';
  return result === 'not-checkable' || onFailure === 'skip' ? 'skipped' : 'failed';
}

function notesOf({ description, onFailure }: Checkpoint, { result }: CheckResult): string {
  switch (result) {
    case 'passed':
      return `checked by Baton: ${description}`;
    case 'not-checkable':
      return `not checked, it has neither artifact nor validation: ${description}`;
    case 'could-not-run':
      return `could not be checked, so it does not count as passed (${onFailure}): ${description}`;
    case 'failed':
      return `not passed (${onFailure}): ${description}`;
  }
}

function pending({ id, description }: Checkpoint, last: Attempt | null): ReportedCheckpoint {
  const why = last === null ? 'nothing was run' : 'the run ended before it was verified';
  return { id, status: 'pending', output: null, evidence: [], notes: `not verified, ${why}: ${description}` };
}

function attemptOf(execution: Execution, attempt: Attempt, at: number): ReportedAttempt {
  const { order } = execution;
  const { provider, model } =
    (attempt.alternative === null ? order.target : order.alternatives[attempt.alternative]) ?? order.target;
  const about = { number: at + 1, run: attempt.runId, agent: attempt.agent, provider, model };
  if (attempt.end === null) return { ...about, code: null, message: 'it has not ended' };
  const verdict = judgeAttempt(execution, attempt);
  if (verdict.kind === 'out-of-quota') return { ...about, code: 'model-unavailable', message: verdict.message };
  if (verdict.kind === 'lost') return { ...about, code: null, message: 'lost because its node died' };
  const failed = 'code' in verdict ? verdict.code : null;
  return { ...about, code: verdict.kind === 'checkpoint-failed' ? 'unknown' : failed, message: verdict.message };
}

/** Sums of dollars are rounded: binary fractions leave remainders behind. */
const DOLLAR_PARTS = 1_000_000_000;

function claimOf({ result, code, message, extensions, summaryExtensions }: Claim): Report['claim'] {
  return { result, code, message, ...(extensions && { extensions }), ...(summaryExtensions && { summaryExtensions }) };
}

function spendOf({ attempts }: Execution, claim: Claim | null): Report['spend'] {
  const spends = attempts.flatMap(({ ended }) => ended?.spend ?? []);
  const sum = (of: (spend: (typeof spends)[number]) => number) => spends.reduce((total, spend) => total + of(spend), 0);
  const costUsd = Math.round(sum((spend) => spend.costUsd) * DOLLAR_PARTS) / DOLLAR_PARTS;
  return {
    costUsd,
    estimatedUsd: claim?.estimatedCostUsd ?? costUsd,
    tokensInput: sum(({ tokensInput }) => tokensInput),
    tokensOutput: sum(({ tokensOutput }) => tokensOutput),
    tier: spends.findLast(({ tier }) => tier !== null)?.tier ?? null,
  };
}

const WHOLE_PERCENTAGE = 100;

/** Without progress from the agent: 100 for completed work, else 0. */
function progressOf(last: Attempt | null, { verdict }: Outcome): Report['progress'] {
  const progress = last?.ended?.progress ?? null;
  const presumed = isAccepted(verdict) ? WHOLE_PERCENTAGE : 0;
  return { at: progress?.at ?? null, percentage: progress?.percentage ?? presumed };
}

function timingOf({ attempts }: Execution, { startedAt, completedAt }: ReportSurroundings): Report['timing'] {
  const isCounted = ({ end }: Attempt) => end?.kind !== 'lost' && end?.kind !== 'out-of-quota';
  const runs = attempts.filter(
    (attempt) => attempt.runId !== null && isCounted(attempt) && !isSessionRefused(attempt),
  ).length;
  return { startedAt, completedAt, retries: Math.max(0, runs - 1) };
}

/** The spend of each attempt counts for the model that its agent had. */
export function spendByModel({ attempts, admitted, order }: Execution): readonly ModelUsage[] {
  const spends = attempts.flatMap(({ ended, agent, alternative }) => {
    const meant = (alternative === null ? order.target : order.alternatives[alternative]) ?? order.target;
    const { provider, model } = admitted?.agents?.find(({ name }) => name === agent) ?? meant;
    if (!ended) return [];
    const { costUsd, tokensInput, tokensOutput } = ended.spend;
    return [{ provider, model, costUsd, tokensInput, tokensOutput }];
  });
  return sumByModel(spends);
}
