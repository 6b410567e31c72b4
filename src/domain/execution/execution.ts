import { assertNever } from '../assert-never.ts';
import { countedSpend, type Spend } from '../order/budget.ts';
import { ORIGIN_BY_HAND, type Order, type SentMessage } from '../order/order.ts';
import type { WorkJudgement } from '../order/work-verdict.ts';
import { attemptOfAnswer, attemptOfTaken } from '../remote/sent-attempt.ts';
import { NOT_SENT, type SentFact, type SentState, takeSentFact } from '../remote/sent-fact.ts';
import { addUserChanges } from './add-user-changes.ts';
import type { AttemptEnd, Fact, OrderNotes, Outcome } from './fact.ts';
import { withRollback } from './with-rollback.ts';
import type { ContinuedWork, RewoundFact, WorkFact } from './work-fact.ts';

type FactOf<Kind extends Fact['kind']> = Extract<Fact, { readonly kind: Kind }>;

/** An order of a task that was made by hand: nobody sent a message, and its origin says so. */
export function isByHand({ order, message }: Pick<Execution, 'order' | 'message'>): boolean {
  return order.origin === ORIGIN_BY_HAND && (message ?? null) === null;
}

/** One attempt at the order: by the target, or by one of its alternatives. */
export interface Attempt {
  /** Null if no agent matched, so that there was no run. */
  readonly runId: string | null;
  readonly agent: string | null;
  /** The index in the list of alternatives; null is the target itself. */
  readonly alternative: number | null;
  readonly startedAt: number;
  readonly isLaunched: boolean;
  /** The session of its vendor that it was to resume; null where it began one. */
  readonly resumed: string | null;
  /** The session that it works in; null where its vendor reported none. */
  readonly session: string | null;
  /** The model in use, as its vendor names it; null where it named none. */
  readonly model: string | null;
  readonly end: AttemptEnd | null;
  readonly ended: FactOf<'ended'> | null;
  readonly collected: FactOf<'collected'> | null;
  readonly verified: FactOf<'verified'> | null;
}

/** An order and the state that its facts add up to. */
export interface Execution {
  readonly order: Order;
  /** Undefined where it was not recorded. */
  readonly message: SentMessage | undefined;
  readonly notes: OrderNotes | null;
  /** The work that this round continues. */
  readonly continues: ContinuedWork | null;
  readonly admitted: FactOf<'admitted'> | null;
  readonly snapshotted: FactOf<'snapshotted'> | null;
  readonly attempts: readonly Attempt[];
  /** Files that a person changed between two runs, and those among them that an earlier run had changed in the same lines. */
  readonly theirFiles: readonly string[];
  readonly overlapping: readonly string[];
  /** The next attempt; null while an attempt runs and after the last one. */
  readonly next: { readonly alternative: number | null; readonly dueAt: number } | null;
  readonly isDayCapLifted: boolean;
  readonly stopRequestedBy: string | null;
  /** Why it is to stop, where that is more than a request. */
  readonly stopReason: FactOf<'stop-requested'>['why'] | null;
  readonly rolledBack: FactOf<'rolled-back'> | null;
  readonly outcome: Outcome | null;
  /** Somebody took the task over and keeps its files: there is no rollback. */
  readonly keepsFiles: boolean;
  readonly reported: FactOf<'reported'> | null;
  /** Everything that was done with the work since the report, oldest first. */
  readonly workFacts: readonly WorkFact[];
  /** The last rewind since the report; null where the files are as the work left them. */
  readonly rewound: RewoundFact | null;
  /** When its saved files were removed; null while they are there. */
  readonly cleanedAt: number | null;
  /** Null for an order that is run here. */
  readonly remote: SentState | null;
}

/** The execution after the facts of one round, oldest first. */
export function replay([first, ...later]: readonly Fact[]): Execution {
  if (first?.kind !== 'ordered') throw new Error('the first fact of a round is its order');
  return later.reduce(takeFact, begun(first));
}

function begun({ order, message, notes, continues }: FactOf<'ordered'>): Execution {
  return {
    order,
    message,
    notes: notes ?? null,
    continues: continues ?? null,
    admitted: null,
    snapshotted: null,
    attempts: [],
    theirFiles: [],
    overlapping: [],
    next: { alternative: null, dueAt: 0 },
    isDayCapLifted: false,
    stopRequestedBy: null,
    stopReason: null,
    rolledBack: null,
    outcome: null,
    keepsFiles: false,
    reported: null,
    workFacts: [],
    rewound: null,
    cleanedAt: null,
    remote: order.remote ? NOT_SENT : null,
  };
}

/** The execution after one more fact. */
export function takeFact(execution: Execution, fact: Fact): Execution {
  switch (fact.kind) {
    case 'ordered':
      throw new Error('a round has one order');
    case 'admitted':
      return { ...execution, admitted: fact };
    case 'snapshotted':
      return { ...execution, snapshotted: fact };
    case 'unanswered':
      return withAttempt(execution, unanswered(fact));
    case 'leased':
      return withAttempt(execution, leased(fact));
    case 'launched':
      return changeRun(addUserChanges(execution, fact.theirs), fact, {
        isLaunched: true,
        resumed: fact.resumed ?? null,
      });
    case 'session-opened':
      return changeRun(execution, fact, { session: fact.session, model: fact.model });
    case 'ended':
      return changeRun(execution, fact, { end: fact.end, ended: fact });
    case 'collected':
      return changeRun(execution, fact, { collected: fact });
    case 'verified':
      return changeRun(execution, fact, { verified: fact });
    case 'requeued':
      return withNext(execution, fact);
    case 'stop-requested':
      return { ...execution, stopRequestedBy: fact.by, stopReason: fact.why ?? null };
    case 'rolled-back':
      return { ...execution, rolledBack: fact, outcome: execution.outcome && withRollback(execution.outcome, fact) };
    case 'settled':
      return { ...execution, outcome: fact.outcome, keepsFiles: fact.keepsFiles, next: null };
    case 'reported':
      return { ...execution, reported: fact };
    case 'applied':
    case 'undone':
    case 'discarded':
    case 'continued':
      return { ...execution, workFacts: [...execution.workFacts, fact] };
    case 'rewound':
      return { ...execution, rewound: fact };
    case 'cleaned':
      return { ...execution, cleanedAt: fact.at };
    case 'sent':
    case 'taken':
    case 'strayed':
    case 'recalled':
    case 'overdue':
    case 'answered':
    case 'brought':
      return withSent(execution, fact);
    default:
      return assertNever(fact);
  }
}

function withSent(execution: Execution, fact: SentFact): Execution {
  const after = { ...execution, remote: takeSentFact(execution.remote ?? NOT_SENT, fact) };
  switch (fact.kind) {
    case 'taken':
      return withAttempt(after, attemptOfTaken(fact));
    case 'answered':
      // Its files tell more, and bring their own findings along.
      return fact.answer.parcel === null ? withAnswer(after, fact) : after;
    case 'brought':
      return fact.problem === null || !after.remote?.answered ? after : withAnswer(after, after.remote.answered);
    case 'strayed':
      return { ...after, attempts: after.attempts.map(endedAsLost) };
    default:
      return after;
  }
}

/** The end of the run on the other node, by its own word. */
function withAnswer(execution: Execution, answered: Extract<SentFact, { readonly kind: 'answered' }>): Execution {
  const { runId } = answered;
  return runId === null ? execution : changeRun(execution, { runId }, attemptOfAnswer(answered));
}

function endedAsLost(attempt: Attempt): Attempt {
  return attempt.end === null ? { ...attempt, end: { kind: 'lost' } } : attempt;
}

function withNext(execution: Execution, fact: FactOf<'requeued'>): Execution {
  const { alternative, dueAt, isDayCapLifted = execution.isDayCapLifted } = fact;
  return { ...execution, order: withCap(execution.order, fact), next: { alternative, dueAt }, isDayCapLifted };
}

function withCap(order: Order, { costUsdMax }: FactOf<'requeued'>): Order {
  return costUsdMax === undefined ? order : { ...order, budget: { ...order.budget, costUsdMax } };
}

const NEW_ATTEMPT = {
  isLaunched: false,
  resumed: null,
  session: null,
  model: null,
  end: null,
  ended: null,
  collected: null,
  verified: null,
} as const;

function leased({ runId, agent, alternative, at }: FactOf<'leased'>): Attempt {
  return { ...NEW_ATTEMPT, runId, agent, alternative, startedAt: at };
}

function unanswered({ alternative, message, code = 'agent-not-found' }: FactOf<'unanswered'>): Attempt {
  const end: AttemptEnd = { kind: 'failed', code, message, claim: null, isNotStarted: true };
  return { ...NEW_ATTEMPT, runId: null, agent: null, alternative, startedAt: 0, end };
}

function withAttempt(execution: Execution, attempt: Attempt): Execution {
  return { ...execution, attempts: [...execution.attempts, attempt], next: null };
}

function changeRun(execution: Execution, { runId }: { readonly runId: string }, change: Partial<Attempt>): Execution {
  const { attempts } = execution;
  const at = attemptNumber(execution, runId) - 1;
  const attempt = attempts[at];
  if (!attempt) throw new Error(`a fact about ${runId} came before its lease`);
  return { ...execution, attempts: attempts.with(at, { ...attempt, ...change }) };
}

/** The number of a run's attempt, from 1; 0 if the run is not among them. */
export function attemptNumber({ attempts }: Pick<Execution, 'attempts'>, runId: string): number {
  return attempts.findLastIndex((attempt) => attempt.runId === runId) + 1;
}

/** The outcome of an order that was asked to stop. */
export function stoppedOutcome({
  stopRequestedBy,
  stopReason,
}: Pick<Execution, 'stopRequestedBy' | 'stopReason'>): Outcome {
  const { code = null, message = `stopped by ${stopRequestedBy}` } = stopReason ?? {};
  const by = stopRequestedBy === null ? {} : { stoppedBy: stopRequestedBy };
  return { verdict: 'aborted', code, message, attempts: [], ...by };
}

/** The verdict with its cause. Outcomes of older Batons do not name the cause: the other facts do. */
export function judgementOf(execution: Pick<Execution, 'outcome' | 'attempts' | 'stopRequestedBy'>): WorkJudgement {
  const { outcome, attempts, stopRequestedBy } = execution;
  const { verdict = null, code, isSkipped, stoppedBy } = outcome ?? {};
  const end = lastRun(execution)?.end;
  const stopper = stoppedBy ?? stopRequestedBy ?? (end?.kind === 'stopped' ? end.by : null);
  return {
    verdict,
    isSkipped: isSkipped ?? (code === 'dependency-failed' && attempts.length === 0),
    stoppedBy: verdict === 'aborted' ? stopper : null,
  };
}

/** The last attempt with a run; the findings are about its work. */
export function lastRun({ attempts }: Pick<Execution, 'attempts'>): Attempt | null {
  return attempts.findLast(({ runId }) => runId !== null) ?? null;
}

/** The run that the order is at: of its last attempt with a run. */
export function currentRun(execution: Pick<Execution, 'attempts'>): Attempt & { readonly runId: string } {
  const run = lastRun(execution);
  if (run === null || run.runId === null) throw new Error('no attempt of the order has a run');
  return { ...run, runId: run.runId };
}

/** The spend of all attempts that have ended. */
export function spentBy({ attempts }: Execution): Spend {
  const spends = attempts.flatMap(({ ended }) => (ended ? [ended.spend] : []));
  return {
    costUsd: spends.reduce((sum, { costUsd }) => sum + costUsd, 0),
    tokens: spends.reduce((sum, { tokens }) => sum + tokens, 0),
  };
}

/** Runs in a row, up to the last one that has ended, that their vendor refused for lack of quota. */
export function refusalsInARow({ attempts }: Pick<Execution, 'attempts'>): number {
  const ended = attempts.filter(({ end }) => end !== null && end.kind !== 'lost');
  return ended.length - 1 - ended.findLastIndex(({ end }) => end?.kind !== 'out-of-quota');
}

/** The spend of all runs so far, as it counts against the budget of the next. */
export function countedBy(execution: Execution): Spend {
  return countedSpend(execution.order.budget, spentBy(execution));
}
