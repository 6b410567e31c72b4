import type { MadeCheck } from '../execution/check-result.ts';
import type { AttemptEnd, FailedAttempt, Outcome } from '../execution/fact.ts';
import type { Claim, ExecutedByGit, OldTests, OwnCommits, RestoredFile } from '../execution/findings.ts';
import { RESULT_STEPS_MAX } from '../federation/federation-limits.ts';
import { MIB } from '../limits.ts';
import type { Expects } from '../order/order.ts';
import { type OrderWarning, WARNING_KINDS } from '../order/warning.ts';
import { type FailureCode, failureCodeOf, REFUSALS, type RefusalCode } from '../refusal.ts';
import { COMPLETION_OUTCOMES } from '../task/resolve-completion.ts';
import type { RunResult } from '../task/run.ts';
import type { PrintedLine } from '../trace/trace.ts';
import { PRINTED_LINES_PER_RECORD_MAX } from '../trace/trace-limits.ts';
import {
  anyObject,
  boundedText,
  instantMs,
  integer,
  kinds,
  list,
  Misfit,
  number,
  object,
  optionalField,
  orNull,
  readShape,
  type Shape,
  type ShapeReading,
  trueOrFalse,
  word,
} from '../words/shape.ts';
import type { GitChange } from '../work/git-state.ts';
import type { IgnoredChange } from '../work/ignored-files.ts';
import type { EarlierRun, ResultRecord, ResultStep } from './result-record.ts';

const short = boundedText(1_000);
const path = boundedText(5_000);
const long = boundedText(200_000);
const items = 20_000;
const commit = boundedText(64, /^([0-9a-f]{40}|[0-9a-f]{64})$/);
const runId = boundedText(64, /^run_[0-9A-Za-z]{1,40}$/);
const taskName = boundedText(40, /^TASK-\d{4}-\d{2}-\d{2}-\d{3}$/);
const refusalCode = word(Object.keys(REFUSALS) as RefusalCode[]);
const code: Shape<FailureCode> = (value, path) => failureCodeOf(refusalCode(value, path));
const amount = number(0, 1e12);
const claimed = word(['done', 'partial', 'failed', 'aborted']);
const provider = word(['CLAUDE', 'CODEX', 'GEMINI', 'LOCAL', 'OTHER']);
const paths = list(path, items);

const claim = object<Claim>({
  result: orNull(claimed),
  code: orNull(code),
  message: long,
  summary: optionalField(long),
  actions: optionalField(list(long, 1_000)),
  warnings: optionalField(list(long, 1_000)),
  errors: optionalField(list(long, 1_000)),
  estimatedCostUsd: optionalField(orNull(amount)),
  extensions: optionalField(anyObject(MIB)),
  summaryExtensions: optionalField(anyObject(MIB)),
  text: boundedText(4 * MIB),
});

type EndOf<Kind extends AttemptEnd['kind']> = Extract<AttemptEnd, { readonly kind: Kind }>;

const end = kinds<AttemptEnd>({
  finished: object<EndOf<'finished'>>({ kind: word(['finished']), claim: orNull(claim) }),
  failed: object<EndOf<'failed'>>({
    kind: word(['failed']),
    code,
    message: long,
    claim: orNull(claim),
    isNotStarted: optionalField(trueOrFalse),
    cap: optionalField(word(['day'])),
  }),
  'out-of-quota': object<EndOf<'out-of-quota'>>({
    kind: word(['out-of-quota']),
    message: long,
    resetsAt: orNull(instantMs),
    scope: orNull(short),
    account: orNull(short),
    until: instantMs,
    onQuota: word(['wait', 'other', 'ask']),
  }),
  stopped: object<EndOf<'stopped'>>({ kind: word(['stopped']), by: short }),
  lost: object<EndOf<'lost'>>({ kind: word(['lost']), isCleanStop: optionalField(trueOrFalse) }),
});

const warning = object<OrderWarning>({
  kind: word(WARNING_KINDS),
  code: orNull(short),
  path: orNull(path),
  message: long,
});

const report = object<RunResult>({
  outcome: word(COMPLETION_OUTCOMES),
  summaryRef: path,
  deliverables: paths,
  tests: object<RunResult['tests']>({ total: integer(0), passed: integer(0), failed: integer(0) }),
  blockers: list(long, 1_000),
  notes: long,
  completedAt: instantMs,
  agent: short,
});

const checkKind = word(['check', 'output', 'checkpoint']);
const expects: Shape<Expects> = word(['exit-code-0', 'match-found', 'no-match', 'file-exists']);

const made = object<MadeCheck>({
  id: long,
  kind: checkKind,
  command: orNull(long),
  argv: orNull(list(long, 1_000)),
  expects,
  path: orNull(path),
  result: word(['passed', 'failed', 'could-not-run']),
  reason: long,
  exitCode: orNull(integer(-1_000_000)),
  signal: orNull(short),
  stdoutTail: long,
  stderrTail: long,
  durationMs: amount,
});

const oldTests = object<OldTests>({
  files: paths,
  added: optionalField(paths),
  result: word(['passed', 'failed', 'not-compared']),
  message: long,
});

const executed = object<ExecutedByGit>({ path, reason: long });

/** In a worktree the rest is the agent's own. */
const gitChange = object<GitChange>({
  kind: word(['head', 'branch', 'tag']),
  name: short,
  before: orNull(short),
  after: orNull(short),
  count: orNull(integer(0)),
});

const ignoredChange = object<IgnoredChange>({
  path,
  change: word(['created', 'changed', 'removed']),
  files: integer(0),
  isSaved: trueOrFalse,
  examples: optionalField(list(path, 100)),
  repository: optionalField(path),
  git: optionalField(list(long, 100)),
});

const ended = object<ResultRecord['ended']>({
  end,
  spend: object<ResultRecord['ended']['spend']>({
    costUsd: amount,
    tokens: amount,
    tokensInput: amount,
    tokensOutput: amount,
    tier: orNull(short),
  }),
  warnings: list(warning, 1_000),
  progress: orNull(
    object<NonNullable<ResultRecord['ended']['progress']>>({ at: instantMs, percentage: number(0, 100) }),
  ),
  report: optionalField(orNull(report)),
  summary: optionalField(long),
  lastWords: optionalField(long),
  at: instantMs,
});

const verdict = word(['checked', 'unchecked', 'partial', 'failed', 'aborted']);

const yes: Shape<true> = (value, path) => {
  if (value !== true) throw new Misfit(path, 'is not true');
  return true;
};

const outcome = object<Outcome>({
  verdict,
  code: orNull(code),
  message: long,
  attempts: list(
    object<FailedAttempt>({ agent: orNull(short), provider: short, model: short, code, message: long }),
    1_000,
  ),
  isGivenUp: optionalField(trueOrFalse),
  stoppedBy: optionalField(short),
  isSkipped: optionalField(yes),
});

const line = object<PrintedLine>({ text: boundedText(4 * MIB), isMasked: trueOrFalse, at: instantMs });

type StepOf<Kind extends ResultStep['kind']> = Extract<ResultStep, { readonly kind: Kind }>;

const step = kinds<ResultStep>({
  message: object<StepOf<'message'>>({
    kind: word(['message']),
    run: runId,
    message: boundedText(16 * MIB),
    lines: list(line, PRINTED_LINES_PER_RECORD_MAX),
  }),
  state: object<StepOf<'state'>>({
    kind: word(['state']),
    run: orNull(runId),
    point: word(['turn', 'end']),
    turnIndex: orNull(integer(0)),
    commit,
    files: object<StepOf<'state'>['files']>({ added: integer(0), changed: integer(0), removed: integer(0) }),
  }),
});

const record = object<ResultRecord>({
  version: (value, at) => integer(1, 1)(value, at) as 1,
  parcel: boundedText(64, /^[0-9a-f]{64}$/),
  task: taskName,
  run: runId,
  agent: object<ResultRecord['agent']>({ name: short, provider, model: short }),
  sandbox: word(['bubblewrap', 'none']),
  startedAt: instantMs,
  states: object<ResultRecord['states']>({
    head: orNull(commit),
    before: commit,
    checked: orNull(commit),
    after: commit,
    verified: orNull(commit),
    rolledBack: orNull(commit),
  }),
  rollback: orNull(
    object<NonNullable<ResultRecord['rollback']>>({
      trigger: word(['aborted', 'failed']),
      files: list(
        object<RestoredFile>({ path, restoredFrom: orNull(path), status: word(['restored', 'failed']) }),
        items,
      ),
      at: instantMs,
    }),
  ),
  ownCommits: orNull(object<OwnCommits>({ tip: commit, count: integer(1, 1_000) })),
  checksBefore: list(made, 1_000),
  checksAfter: orNull(list(made, 1_000)),
  oldTests: orNull(oldTests),
  violations: paths,
  executedByGit: list(executed, items),
  notLookedAt: list(long, 1_000),
  gitChanges: list(gitChange, items),
  ignoredChanges: list(ignoredChange, items),
  ended,
  outcome,
  earlierRuns: list(object<EarlierRun>({ id: runId, agent: short, startedAt: instantMs, endedAt: instantMs }), 1_000),
  steps: list(step, RESULT_STEPS_MAX),
  leftOut: integer(0),
});

/** Reads the record of a round that another node made; everything that is not of its form is refused with its place. */
export function readResult(value: unknown): ShapeReading<ResultRecord> {
  return readShape(record, value);
}
