import { FAILURE_CODES, recordCode } from '../failure-code.ts';
import { AOP_ACTIONS_ADVISED_MAX } from '../federation/message-limits.ts';
import { REPORTED_SCHEMA_ERRORS_MAX } from '../limits.ts';
import type { Report, ReportedFile } from '../order/report.ts';
import type { OrderWarning, WarningKind } from '../order/warning.ts';
import { isAccepted, isClaimRight } from '../order/work-verdict.ts';
import { findChangedChecks } from '../work/find-changed-checks.ts';
import type { CheckResult } from './check-result.ts';
import { type Execution, lastRun } from './execution.ts';
import type { AttemptEnd, Outcome, VersionFallback } from './fact.ts';
import type { Claim, RestoredFile } from './findings.ts';
import { gitSearchOf, gitTexts, ignoredSentences } from './recorded-changes.ts';

/** The work of a settled order. */
export interface SettledWork {
  readonly task: string;
  readonly execution: Execution;
  readonly outcome: Outcome;
  /** The claim of the last attempt. */
  readonly claim: Claim | null;
  readonly files: readonly ReportedFile[];
  /** Words of a person that no agent was told. */
  readonly untold: number;
}

type Description = Pick<Report, 'summary' | 'summaryBy' | 'actions' | 'actionsBy' | 'warnings' | 'errors'>;

/** The sentences of a report: the agent's own if it wrote a summary, else Baton's. */
export function describeWork(work: SettledWork): Description {
  const { summary: claimed = '', actions = [] } = work.claim ?? {};
  const summary = claimed || (lastRun(work.execution)?.ended?.summary ?? '');
  return {
    summary: summary || seenSummary(work),
    summaryBy: summary ? 'agent' : 'baton',
    actions: actions.length > 0 ? actions : seenActions(work),
    actionsBy: actions.length > 0 ? 'agent' : 'baton',
    warnings: withoutRepeats(warningsOf(work)),
    errors: [...new Set(errorsOf(work))],
  };
}

function seenSummary({ execution, outcome, files }: SettledWork): string {
  const results = resultsOf(execution);
  const passed = results.filter(({ result }) => result === 'passed').length;
  const changed = files.filter(({ status }) => status !== 'unchanged').length;
  const checks = results.length === 0 ? 'nothing was checked' : `${passed} of ${results.length} checks passed`;
  const executed = gitSearchOf(execution).executedByGit.length;
  const git = executed === 0 ? '' : ` Will be executed by git: ${executed}.`;
  return `Written by Baton from what it saw: ${outcome.message}. Files changed: ${changed}; ${checks}.${git}`;
}

const VERBS = { created: 'Created', updated: 'Changed', deleted: 'Removed' } as const;

function seenActions({ execution, files }: SettledWork): readonly string[] {
  const { attempts } = execution;
  const runs = attempts.map(({ agent, end }, at) => `Run ${at + 1} by ${agent ?? 'nobody'}: ${endText(end)}.`);
  const changes = files.flatMap(({ status, path }) => (status === 'unchanged' ? [] : [`${VERBS[status]} ${path}.`]));
  const checks = resultsOf(execution).map((result) => `Checked ${checkText(result)}.`);
  const actions = [...runs, ...checks, ...changes];
  if (actions.length === 0) return ['Nothing was run.'];
  if (actions.length <= AOP_ACTIONS_ADVISED_MAX) return actions;
  const shown = actions.slice(0, AOP_ACTIONS_ADVISED_MAX - 1);
  return [...shown, `${actions.length - shown.length} more are left out.`];
}

function endText(end: AttemptEnd | null): string {
  switch (end?.kind) {
    case 'finished':
      return 'it ended by itself';
    case 'failed':
      return `${recordCode(end.code)}, ${end.message}`;
    case 'out-of-quota':
      return `out of quota, ${end.message}`;
    case 'stopped':
      return `stopped by ${end.by}`;
    case 'lost':
      return 'lost because its node died';
    default:
      return 'under way';
  }
}

function checkText({ kind, id, result, message }: CheckResult): string {
  return `${kind} ${id}: ${result}, ${message}`;
}

function warningsOf({ task, execution, outcome, claim, untold }: SettledWork): readonly OrderWarning[] {
  const { order, admitted, attempts, rolledBack } = execution;
  const lost = attempts.filter(({ end }) => end?.kind === 'lost').length;
  const differs = claim?.result && !isClaimRight(claim.result, outcome.verdict);
  return [
    ...(admitted?.warnings ?? []),
    ...(order.isFallback ? fallbackWarnings(admitted?.fallback ?? null) : []),
    ...attempts.flatMap(({ ended }) => ended?.warnings ?? []),
    ...manyActions(claim),
    ...(outcome.verdict === 'unchecked' ? [about('unchecked', `unchecked: ${outcome.message}`)] : []),
    ...(lost > 0
      ? [about('lost-runs', `${lost} of ${attempts.length} runs were lost because ${whyLost(attempts)}`)]
      : []),
    ...theirChanges(execution),
    ...laterFiles(execution).map((path) =>
      about('lost-runs', `${path} changed after the node had died: it counts as yours`),
    ),
    ...(differs ? [about('claim-differs', `the agent says ${claim.result}, Baton found ${outcome.verdict}`)] : []),
    ...notCheckable(execution),
    ...changedChecks(execution),
    ...executedWarnings(execution),
    ...gitWarnings(execution, task),
    ...ignoredWarnings(execution),
    ...(rolledBack?.files ?? []).map(({ path, status }) => about('rolled-back', rolledBackText(path, status))),
    ...(untold > 0 ? [about('untold-words', untoldText(untold))] : []),
    ...untrustedFiles(execution).map((path) => about('untrusted', untrustedText(path))),
    ...(claim?.warnings ?? []).map((warning) => about('agent', `the agent: ${warning}`)),
  ];
}

function whyLost(attempts: Execution['attempts']): string {
  const isStopped = attempts.every(({ end }) => end?.kind !== 'lost' || end.isCleanStop === true);
  return isStopped ? 'their node was stopped' : 'their node died';
}

const THEIR_FILES_SHOWN_MAX = 20;

/** A person has to know which of their changes an undo leaves. */
function theirChanges({ theirFiles, overlapping }: Execution): readonly OrderWarning[] {
  const shown = theirFiles.slice(0, THEIR_FILES_SHOWN_MAX);
  const rest = theirFiles.length - shown.length;
  const more = rest > 0 ? ` and ${rest} more` : '';
  return [
    ...(shown.length === 0
      ? []
      : [about('lost-runs', `changed between two runs, so they count as yours: ${shown.join(', ')}${more}`)]),
    ...overlapping.map((path) =>
      about(
        'lost-runs',
        `${path}: you changed lines that an earlier run had changed; an undo leaves it as you left it`,
      ),
    ),
  ];
}

function untrustedFiles({ attempts }: Execution): readonly string[] {
  return [...new Set(attempts.flatMap(({ collected }) => collected?.untrusted ?? []))];
}

function laterFiles({ attempts }: Execution): readonly string[] {
  return [...new Set(attempts.flatMap(({ collected }) => collected?.later ?? []))];
}

function rolledBackText(path: string, status: RestoredFile['status']): string {
  return status === 'restored' ? `rolled back: ${path}` : `could not be rolled back: ${path}`;
}

function untoldText(count: number): string {
  const words = count === 1 ? 'what you said to it' : `${count} of the things that you said to it`;
  return `it ended before it could be told ${words}; baton continue tells it`;
}

function untrustedText(path: string): string {
  return `${path} changed during the run: its commands and rights do not count until you have read it and typed baton trust`;
}

function about(kind: WarningKind, message: string): OrderWarning {
  return { kind, code: null, path: null, message };
}

function withoutRepeats(warnings: readonly OrderWarning[]): readonly OrderWarning[] {
  return [...new Map(warnings.map((warning) => [JSON.stringify(warning), warning])).values()];
}

function manyActions(claim: Claim | null): readonly OrderWarning[] {
  const actions = claim?.actions?.length ?? 0;
  if (actions <= AOP_ACTIONS_ADVISED_MAX) return [];
  const message = `${actions} actions, ${AOP_ACTIONS_ADVISED_MAX} are advised at most`;
  return [{ kind: 'report-size', code: FAILURE_CODES['near-size-limit'], path: null, message }];
}

/** The reasons why the message ran as v1. */
function fallbackWarnings(fallback: VersionFallback | null): readonly OrderWarning[] {
  const message = 'the TASK failed its schema and was run as v1, with the least rights';
  const errors = (fallback?.errors ?? []).slice(0, REPORTED_SCHEMA_ERRORS_MAX);
  return [
    { kind: 'fallback', code: 'VERSION_FALLBACK', path: null, message },
    ...errors.map((error) => ({ kind: 'fallback', code: FAILURE_CODES['invalid-message'], ...error }) as const),
  ];
}

function notCheckable(execution: Execution): readonly OrderWarning[] {
  const unchecked = resultsOf(execution).filter(({ result }) => result === 'not-checkable');
  return unchecked.map(({ kind, id }) => about('not-checkable', `not checked: ${kind} ${id}`));
}

/** The check may have passed because the work changed it: a person has to read that part of the difference. */
function changedChecks(execution: Execution): readonly OrderWarning[] {
  const last = lastRun(execution);
  const { made = [], oldTests } = last?.verified ?? {};
  const { files = [], added = [] } = oldTests ?? {};
  const changed = files.filter((path) => !added.includes(path));
  if (oldTests?.result === 'passed' && changed.length > 0) {
    return [about('check-changed', `the checks pass with the earlier versions, too, of ${changed.join(', ')}`)];
  }
  const found = findChangedChecks(made, last?.collected?.changed ?? []);
  return found.map(({ command, path }) =>
    about('check-changed', `changed by the work that it checks: ${path}, which is run by ${command}`),
  );
}

const EXECUTED_BY_GIT_SHOWN_MAX = 20;

/** A person must know before the next git command, whatever the verdict is. */
function executedWarnings(execution: Execution): readonly OrderWarning[] {
  const { executedByGit, notLookedAt } = gitSearchOf(execution);
  const shown = executedByGit.slice(0, EXECUTED_BY_GIT_SHOWN_MAX);
  const rest = executedByGit.length - shown.length;
  return [
    ...shown.map(({ path, reason }) => about('executed-by-git', `will be executed by git: ${path} (${reason})`)),
    ...(rest > 0 ? [about('executed-by-git', `will be executed by git: ${rest} more, listed in the JSON report`)] : []),
    ...notLookedAt.map((path) => about('not-looked-at', `not searched for what git executes: ${path}`)),
  ];
}

const IGNORED_SHOWN_MAX = 20;

function ignoredWarnings(execution: Execution): readonly OrderWarning[] {
  const all = ignoredSentences(execution);
  const rest = all.length - IGNORED_SHOWN_MAX;
  const texts =
    rest > 0
      ? [...all.slice(0, IGNORED_SHOWN_MAX), `ignored by git: ${rest} more changes, listed in the JSON report`]
      : all;
  return texts.map((text) => about('ignored-changed', text));
}

const GIT_CHANGES_SHOWN_MAX = 20;

function gitWarnings(execution: Execution, task: string): readonly OrderWarning[] {
  const all = gitTexts(execution, task);
  const shown = all.slice(0, GIT_CHANGES_SHOWN_MAX);
  const rest = all.length - shown.length;
  const texts = rest > 0 ? [...shown, `git: ${rest} more changes, listed in the JSON report`] : shown;
  return texts.map((text) => about('git-changed', text));
}

function errorsOf({ execution, outcome: { code, message, verdict }, claim }: SettledWork): readonly string[] {
  const outcome = code === null ? message : `${recordCode(code)}: ${message}`;
  const failed = resultsOf(execution).filter(({ result }) => result === 'failed' || result === 'could-not-run');
  const violations = lastRun(execution)?.collected?.violations ?? [];
  return [
    ...(isAccepted(verdict) ? [] : [outcome]),
    ...failed.map(checkText),
    ...violations.map((path) => `${FAILURE_CODES['permission-denied']}: it wrote ${path}, which was not granted`),
    ...(claim?.errors ?? []).map((error) => `the agent: ${error}`),
  ];
}

function resultsOf(execution: Execution): readonly CheckResult[] {
  return lastRun(execution)?.verified?.results ?? [];
}
