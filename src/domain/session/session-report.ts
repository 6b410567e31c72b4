import { type ModelUsage, sumByModel } from '../agent/model-spend.ts';
import { roundUsd } from '../order/budget.ts';
import { type CombinedVerdict, isAccepted, type WorkJudgement, type WorkVerdict } from '../order/work-verdict.ts';
import type { FailureCode } from '../refusal.ts';
import type { TaskName } from '../task/task.ts';
import type { TaskStatus } from '../task/task-lifecycle.ts';
import type { WorkState } from '../work/work-state.ts';
import type { SessionPattern, SessionStop } from './session-terms.ts';

/** Reasons to look closely at the work of a session, from the gravest. */
export const EVIDENCE_KINDS = [
  'forbidden-write',
  'tests-weakened',
  'tests-removed',
  'tests-changed',
  'check-not-run',
  'outside-objective',
] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** The state of a task within its session. */
export type MemberState = 'waiting' | 'running' | 'completed' | 'failed' | 'aborted' | 'skipped';

/** The end of one order, in short. */
export interface OrderEnd extends WorkJudgement<WorkVerdict> {
  readonly code: FailureCode | null;
  readonly message: string;
  readonly agent: string;
  /** Runs, without those that were lost with their node; 0 if none started. */
  readonly attempts: number;
  readonly startedAt: number;
  readonly completedAt: number;
  readonly estimatedUsd: number;
  /** One entry a model. */
  readonly spend: readonly ModelUsage[];
}

/** A task of a session and its order. */
export interface SessionMember {
  /** The sender's name for it. */
  readonly id: string;
  readonly task: TaskName;
  readonly title: string;
  readonly status: TaskStatus;
  /** The agent that works on it, worked on it last, or is to do it. */
  readonly agent: string | null;
  readonly parent: string | null;
  readonly depth: number;
  /** The members that it waits for. */
  readonly after: readonly string[];
  /** Runs that began. */
  readonly runs: number;
  /** The number of its newest order. */
  readonly round: number;
  readonly work: WorkState | null;
  /** Null while its order is open. */
  readonly end: OrderEnd | null;
  /** The spend of earlier orders under the same name. */
  readonly earlierSpend: readonly ModelUsage[];
}

/** The state of a member, by Baton's verdict on its order. */
export function stateOf({ end, status }: Pick<SessionMember, 'end' | 'status'>): MemberState {
  if (end === null) return status === 'in-progress' ? 'running' : 'waiting';
  if (isAccepted(end.verdict)) return 'completed';
  return end.verdict === 'aborted' && end.isSkipped ? 'skipped' : end.verdict;
}

export interface SessionTotals {
  readonly tasks: number;
  readonly completed: number;
  readonly failed: number;
  readonly aborted: number;
  readonly skipped: number;
}

export function totalsOf(members: readonly SessionMember[]): SessionTotals {
  const states = members.map(stateOf);
  const count = (state: MemberState) => states.filter((each) => each === state).length;
  return {
    tasks: members.length,
    completed: count('completed'),
    failed: count('failed'),
    aborted: count('aborted'),
    skipped: count('skipped'),
  };
}

/** The worst end of a task decides. */
export function verdictOf(members: readonly SessionMember[]): CombinedVerdict {
  const { failed, aborted, skipped } = totalsOf(members);
  if (failed > 0) return 'failed';
  if (aborted + skipped > 0) return 'aborted';
  return members.every(({ end }) => end?.verdict === 'checked') ? 'checked' : 'partial';
}

export interface SessionSpend {
  readonly costUsd: number;
  readonly estimatedUsd: number;
  readonly tokensInput: number;
  readonly tokensOutput: number;
  readonly models: readonly ModelUsage[];
}

/** The spend of all orders of the members, by model. */
export function spendOf(members: readonly SessionMember[]): SessionSpend {
  const all = sumByModel(members.flatMap(({ end, earlierSpend }) => [...earlierSpend, ...(end?.spend ?? [])]));
  const estimatedUsd = members.reduce(
    (sum, { end, earlierSpend }) =>
      sum + (end?.estimatedUsd ?? 0) + earlierSpend.reduce((earlier, { costUsd }) => earlier + costUsd, 0),
    0,
  );
  return {
    costUsd: roundUsd(all.reduce((sum, { costUsd }) => sum + costUsd, 0)),
    estimatedUsd: roundUsd(estimatedUsd),
    tokensInput: all.reduce((sum, { tokensInput }) => sum + tokensInput, 0),
    tokensOutput: all.reduce((sum, { tokensOutput }) => sum + tokensOutput, 0),
    models: all,
  };
}

/** Sums by provider or by model, in US dollars. */
export function usdBy(key: 'provider' | 'model', models: readonly ModelUsage[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const spend of models) sums.set(spend[key], roundUsd((sums.get(spend[key]) ?? 0) + spend.costUsd));
  return Object.fromEntries(sums);
}

/** Something in the work of a task that its checks do not settle. */
export interface SessionEvidence {
  readonly kind: EvidenceKind;
  readonly member: string;
  readonly text: string;
  /** Files, or checks. */
  readonly details: readonly string[];
}

/** The result of a session by Baton's own findings. */
export interface SessionReport {
  readonly sessionId: string;
  readonly name: string;
  readonly pattern: SessionPattern;
  readonly verdict: CombinedVerdict;
  /** Null where every task came to its own end. */
  readonly stop: SessionStop | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly completedAt: number;
  readonly totals: SessionTotals;
  readonly spend: SessionSpend;
  readonly members: readonly SessionMember[];
  /** Riskiest first; absent from reports of older ledgers. */
  readonly evidence?: readonly SessionEvidence[];
}

export type SessionReportFacts = Pick<
  SessionReport,
  'sessionId' | 'name' | 'pattern' | 'stop' | 'startedAt' | 'members' | 'evidence'
>;

/** The report of a session whose orders are all over. It depends on nothing but them, so that it can be made again. */
export function makeSessionReport(facts: SessionReportFacts): SessionReport {
  const { members, startedAt } = facts;
  const ends = members.flatMap(({ end }) => end?.completedAt ?? []);
  return {
    ...facts,
    verdict: verdictOf(members),
    completedAt: ends.reduce((last, at) => Math.max(last, at), startedAt),
    totals: totalsOf(members),
    spend: spendOf(members),
  };
}
