import { findChangedChecks } from '../../domain/decisions/find-changed-checks.ts';
import { type Execution, lastRun } from '../../domain/execution/execution.ts';
import type { CheckResult, Claim, Outcome, VersionFallback } from '../../domain/execution/fact.ts';
import { AOP_ACTIONS_ADVISED_MAX } from '../../domain/limits.ts';
import { warningText } from '../../domain/warning.ts';
import type { Artifact } from './artifacts-of-execution.ts';
import { claimedResponse, lastClaim } from './claimed-response.ts';
import type { ResponseMessage } from './schema/response.ts';

/** The description of the work in sentences. */
export interface Account {
  readonly summary: string;
  readonly actions: readonly string[];
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  /** The agent gave no account of its own. */
  readonly isBatons: boolean;
}

export function accountOf(execution: Execution, outcome: Outcome, artifacts: readonly Artifact[]): Account {
  const claim = lastClaim(execution);
  const claimed = claimedResponse(claim)?.execution_summary ?? null;
  const isBatons = !claimed?.summary || !claimed.actions?.length;
  return {
    summary: claimed?.summary || seenSummary(execution, outcome, artifacts),
    actions: claimed?.actions?.length ? claimed.actions : seenActions(execution, artifacts),
    warnings: warningsOf(execution, outcome, { claim, claimed }),
    errors: errorsOf(execution, outcome, claimed?.errors ?? []),
    isBatons,
  };
}

function seenSummary(execution: Execution, outcome: Outcome, artifacts: readonly Artifact[]): string {
  const results = lastRun(execution)?.verified?.results ?? [];
  const passed = results.filter(({ result }) => result === 'passed').length;
  const changed = artifacts.filter(({ status }) => status !== 'UNCHANGED').length;
  const checks = results.length === 0 ? 'nothing was checked' : `${passed} of ${results.length} checks passed`;
  return `Written by Baton from what it saw: ${outcome.message}. Files changed: ${changed}; ${checks}.`;
}

const VERBS = { CREATED: 'Created', UPDATED: 'Changed', DELETED: 'Removed' } as const;

function seenActions({ attempts }: Execution, artifacts: readonly Artifact[]): string[] {
  const runs = attempts.map(({ agent, end }, at) => `Run ${at + 1} by ${agent ?? 'nobody'}: ${endText(end)}.`);
  const files = artifacts.flatMap(({ status, path }) => (status === 'UNCHANGED' ? [] : [`${VERBS[status]} ${path}.`]));
  const checks = (lastRun({ attempts })?.verified?.results ?? []).map((result) => `Checked ${checkText(result)}.`);
  const actions = [...runs, ...checks, ...files];
  if (actions.length === 0) return ['Nothing was run.'];
  if (actions.length <= AOP_ACTIONS_ADVISED_MAX) return actions;
  const kept = actions.slice(0, AOP_ACTIONS_ADVISED_MAX - 1);
  return [...kept, `${actions.length - kept.length} more are left out.`];
}

function endText(end: Execution['attempts'][number]['end']): string {
  switch (end?.kind) {
    case 'finished':
      return 'it ended by itself';
    case 'failed':
      return `${end.code}, ${end.message}`;
    case 'stopped':
      return `stopped by ${end.by}`;
    case 'lost':
      return 'lost with the node that carried it';
    default:
      return 'under way';
  }
}

function checkText({ kind, id, result, message }: CheckResult): string {
  return `${kind} ${id}: ${result}, ${message}`;
}

interface Said {
  readonly claim: Claim | null;
  readonly claimed: ResponseMessage['execution_summary'] | null;
}

function warningsOf(execution: Execution, outcome: Outcome, { claim, claimed }: Said): string[] {
  const { order, admitted, attempts, rolledBack } = execution;
  const lost = attempts.filter(({ end }) => end?.kind === 'lost').length;
  const actions = claimed?.actions?.length ?? 0;
  return [
    ...(admitted?.warnings ?? []).map(warningText),
    ...(order.isFallback ? fallbackWarnings(admitted?.fallback ?? null) : []),
    ...attempts.flatMap(({ ended }) => ended?.warnings ?? []).map(warningText),
    ...(actions > AOP_ACTIONS_ADVISED_MAX
      ? [`E_PAYLOAD_SIZE_WARNING: ${actions} actions, ${AOP_ACTIONS_ADVISED_MAX} are advised at most`]
      : []),
    ...(outcome.isUnchecked ? ['unchecked: nothing was there to check the work by'] : []),
    ...(lost > 0 ? [`${lost} of ${attempts.length} runs were lost with the node that carried them`] : []),
    ...(claim?.signal && claim.signal !== outcome.signal
      ? [`the agent says ${claim.signal}, Baton found ${outcome.signal}`]
      : []),
    ...notCheckable(execution),
    ...changedChecks(execution),
    ...(rolledBack?.files ?? []).map(({ path, status }) => `rolled back, ${status}: ${path}`),
    ...(claimed?.warnings ?? []).map((warning) => `the agent: ${warning}`),
  ];
}

/** A check that the work changed may pass for that reason: a person has to read that part of the diff. */
function changedChecks(execution: Execution): string[] {
  const last = lastRun(execution);
  const found = findChangedChecks(last?.verified?.made ?? [], last?.collected?.changed ?? []);
  return found.map(({ command, path }) => `changed by the work that it checks: ${path}, which is run by ${command}`);
}

const SCHEMA_ERRORS_TOLD_MAX = 20;

/** That it was run all the same, and what was wrong with its form. */
function fallbackWarnings(fallback: VersionFallback | null): string[] {
  const errors = fallback?.errors ?? [];
  const told = errors.slice(0, SCHEMA_ERRORS_TOLD_MAX).map(({ path, message }) => `${path} ${message}`);
  return [
    'VERSION_FALLBACK: the TASK failed its schema and was run as v1, with the least rights',
    ...told.map((problem) => `E_SCHEMA_VALIDATION: ${problem}`),
  ];
}

function notCheckable(execution: Execution): string[] {
  const results = lastRun(execution)?.verified?.results ?? [];
  return results.flatMap(({ kind, id, result }) => (result === 'not-checkable' ? [`not checked: ${kind} ${id}`] : []));
}

function errorsOf(execution: Execution, { code, message, signal }: Outcome, claimed: readonly string[]): string[] {
  const last = lastRun(execution);
  const results = last?.verified?.results ?? [];
  const outcome = code === null ? message : `${code}: ${message}`;
  return [
    ...(signal === 'FAILURE' || signal === 'ABORTED' ? [outcome] : []),
    ...results.filter(({ result }) => result === 'failed' || result === 'could-not-run').map(checkText),
    ...(last?.collected?.violations ?? []).map(
      (path) => `E_PERMISSION_DENIED: it wrote ${path}, which was not granted`,
    ),
    ...claimed.map((error) => `the agent: ${error}`),
  ];
}
