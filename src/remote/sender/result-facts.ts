import type { Order } from '../../domain/order/order.ts';
import type { ResultRecord, ResultStep } from '../../domain/remote/result-record.ts';
import type { TaskName } from '../../domain/task/task.ts';
import type { TraceMessage } from '../../domain/trace/trace.ts';
import { resultsOf } from '../../domain/work/plan-verification.ts';
import { NO_FILES } from '../../domain/work/point.ts';
import type { Repository } from '../../domain/work/repository.ts';
import type { NamedTree } from '../parcel/take-states.ts';
import type { ImportedStep, ResultRun } from './import-run.ts';
import type { LaidResult } from './lay-result.ts';

/** Reads a turn or an event that another node stored; null where it is none. */
export type ReadTrace = (text: string, eventTypes: Readonly<Record<string, unknown>>) => TraceMessage | null;

export interface ResultFacts {
  readonly taskId: TaskName;
  readonly round: number;
  readonly agent: string;
  readonly order: Order;
  readonly repository: Repository;
  /** HEAD; null before the first commit, and without git. */
  readonly head: string | null;
  readonly record: ResultRecord;
  readonly laid: LaidResult;
  readonly steps: readonly ImportedStep[];
}

/**
 * The facts of a run on another node, as facts of a round here. Results of checks are those of the order here: one that the other
 * node did not make, did not run.
 */
export function resultRun(facts: ResultFacts): ResultRun {
  const { taskId, round, agent, order, repository, head, record, laid, steps } = facts;
  const { states, ownCommits, rollback, checksAfter } = record;
  const isTeamFile = laid.changed.some(({ path }) => path === 'baton.yaml');
  return {
    taskId,
    round,
    agent,
    snapshotted: {
      kind: 'snapshotted',
      workplace: laid.workplace,
      commit: states.before,
      checkedCommit: states.checked,
      head,
      repository,
      files: [],
      checks: resultsOf(order, record.checksBefore),
      made: record.checksBefore,
      outputs: [],
      ...laid.start,
      recorded: { label: `${round}/before`, commit: states.before, gitHash: states.before, files: NO_FILES },
    },
    ended: { kind: 'ended', ...record.ended },
    collected: {
      kind: 'collected',
      commit: states.after,
      changed: laid.changed,
      violations: record.violations,
      executedByGit: laid.executedByGit,
      notLookedAt: record.notLookedAt,
      gitChanges: record.gitChanges,
      ...(ownCommits && { ownCommits }),
      ignoredChanges: record.ignoredChanges,
      ...(isTeamFile && { untrusted: ['baton.yaml'] }),
    },
    verified: checksAfter && {
      kind: 'verified',
      results: resultsOf(order, checksAfter),
      made: checksAfter,
      commit: states.verified,
      ...(record.oldTests && { oldTests: record.oldTests }),
    },
    rolledBack: rollback && { kind: 'rolled-back', ...rollback, commit: states.rolledBack },
    steps,
    stepsLeftOut: record.leftOut + messagesIn(record.steps) - messagesIn(steps),
  };
}

function messagesIn(steps: readonly { readonly kind: string }[]): number {
  return steps.filter(({ kind }) => kind === 'message').length;
}

/** The files as the work, its checks or a rollback left them. */
function leftState({ states }: ResultRecord): string {
  return states.rolledBack ?? states.verified ?? states.after;
}

/** The story of a run on another node. The last state is always one to rewind to. */
export function importedSteps(
  record: ResultRecord,
  round: number,
  readTrace: (text: string) => TraceMessage | null,
): readonly ImportedStep[] {
  const runs = new Set(record.earlierRuns.map(({ id }) => id));
  const steps = record.steps.flatMap((step, at): readonly ImportedStep[] => {
    if (step.kind === 'state') return [stateStep(step, `${round}/there-${at}`)];
    if (step.run !== record.run && !runs.has(step.run)) return [];
    const message = readTrace(step.message);
    // Somebody else's trace: what is no message of one is left out.
    if (message === null) return [];
    const lines = step.lines.length === 0 ? [] : [NO_LINE, ...step.lines];
    return [{ kind: 'message', earlierRun: step.run === record.run ? null : step.run, message, lines }];
  });
  const last = steps.findLast((step) => step.kind === 'state');
  const left = leftState(record);
  if (last?.state.commit === left) return steps;
  const state = { label: `${round}/there-left`, commit: left, gitHash: left, files: NO_FILES };
  return [...steps, { kind: 'state', point: 'end', turnIndex: null, state }];
}

/** The first line of output is the message itself. */
const NO_LINE = { text: '', isMasked: false, at: 0 };

function stateStep(step: Extract<ResultStep, { readonly kind: 'state' }>, label: string): ImportedStep {
  const { point, turnIndex, commit, files } = step;
  return { kind: 'state', point, turnIndex, state: { label, commit, gitHash: commit, files } };
}

interface NamedRun {
  readonly round: number;
  readonly steps: readonly ImportedStep[];
  readonly trees: ReadonlyMap<string, string>;
}

/** The names of all states of a run, as a run here would have named them. */
export function treeNames(record: ResultRecord, { round, steps, trees }: NamedRun): readonly NamedTree[] {
  const { before, checked, after, verified, rolledBack } = record.states;
  const named: readonly (readonly [label: string, commit: string | null])[] = [
    [`${round}/before`, before],
    [`${round}/checked`, checked],
    [`${round}/after-1`, after],
    [`${round}/verified-1`, verified],
    [`${round}/rolled-back`, rolledBack],
    [`${round}/commits`, record.ownCommits?.tip ?? null],
    ...steps.flatMap((step) => (step.kind === 'state' ? [[step.state.label, step.state.commit] as const] : [])),
  ];
  return named.flatMap(([label, commit]) =>
    commit === null ? [] : [{ label, commit, tree: trees.get(commit) ?? '' }],
  );
}
