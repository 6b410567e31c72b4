import type { CheckResult } from '../../../src/domain/execution/check-result.ts';
import { type Execution, replay } from '../../../src/domain/execution/execution.ts';
import type { AttemptEnd, Fact, Outcome } from '../../../src/domain/execution/fact.ts';
import type { Order } from '../../../src/domain/order/order.ts';
import type { ReceiverAnswer } from '../../../src/domain/remote/receiver-answer.ts';

// The facts of an execution, each with what a test wants otherwise.

type FactOf<Kind extends Fact['kind']> = Extract<Fact, { readonly kind: Kind }>;
type Some<Kind extends Fact['kind']> = Partial<Omit<FactOf<Kind>, 'kind'>>;

export const NO_SPEND = { costUsd: 0, tokens: 0, tokensInput: 0, tokensOutput: 0, tier: null };

export const admitted = (some: Some<'admitted'> = {}): Fact => ({
  kind: 'admitted',
  agent: 'emma',
  alternatives: [],
  sandbox: 'bubblewrap',
  warnings: [],
  fallback: null,
  ...some,
});
export const snapshotted = (some: Some<'snapshotted'> = {}): Fact => ({
  kind: 'snapshotted',
  workplace: { kind: 'in-place' },
  commit: null,
  checkedCommit: null,
  head: null,
  files: [],
  checks: [],
  made: [],
  outputs: [],
  ...some,
});
export const leased = (runId: string, some: Some<'leased'> = {}): Fact => ({
  kind: 'leased',
  runId,
  agent: 'emma',
  alternative: null,
  at: 1_000,
  ...some,
});
export const launched = (runId: string, some: Some<'launched'> = {}): Fact => ({
  kind: 'launched',
  runId,
  pid: 7,
  startTicks: 8,
  ...some,
});
export const sessionOpened = (runId: string, session: string): Fact => ({
  kind: 'session-opened',
  runId,
  session,
  model: null,
  version: null,
});
export const ended = (runId: string, end: AttemptEnd, some: Some<'ended'> = {}): Fact => ({
  kind: 'ended',
  runId,
  end,
  spend: NO_SPEND,
  warnings: [],
  progress: null,
  at: 2_000,
  ...some,
});
export const collected = (runId: string, some: Some<'collected'> = {}): Fact => ({
  kind: 'collected',
  runId,
  commit: null,
  changed: [],
  violations: [],
  ...some,
});
export const verified = (
  runId: string,
  results: readonly CheckResult[],
  some: Some<'verified'> = {},
): FactOf<'verified'> => ({
  kind: 'verified',
  runId,
  results,
  made: [],
  commit: null,
  ...some,
});
export const requeued = (some: Some<'requeued'> = {}): Fact => ({
  kind: 'requeued',
  alternative: null,
  dueAt: 0,
  reason: 'r',
  ...some,
});

export const rolledBack = (some: Some<'rolled-back'> = {}): Fact => ({
  kind: 'rolled-back',
  trigger: 'failed',
  files: [],
  commit: null,
  at: 3_000,
  ...some,
});
export const settledBy = (outcome: Outcome, some: Some<'settled'> = {}): Fact => ({
  kind: 'settled',
  outcome,
  at: 9_000,
  keepsFiles: false,
  ...some,
});

export const FINISHED: AttemptEnd = { kind: 'finished', claim: null };

export function failedBy(code: Extract<AttemptEnd, { kind: 'failed' }>['code'], message = 'it broke'): AttemptEnd {
  return { kind: 'failed', code, message, claim: null };
}

export function result(id: string, some: Partial<CheckResult> = {}): CheckResult {
  return {
    id,
    kind: 'check',
    result: 'passed',
    message: 'exit 0',
    command: id,
    exitCode: 0,
    tail: '',
    durationMs: 3,
    ...some,
  };
}

/** All facts of one attempt that ended, after it was collected and, where it finished, verified. */
export function attemptOf(runId: string, end: AttemptEnd, results: readonly CheckResult[] = []): readonly Fact[] {
  const facts = [leased(runId), launched(runId), ended(runId, end)];
  if (end.kind === 'lost') return facts;
  return [...facts, collected(runId), ...(end.kind === 'finished' ? [verified(runId, results)] : [])];
}

/** The execution after these facts. */
export function replayed(order: Order, facts: readonly Fact[]): Execution {
  return replay([{ kind: 'ordered', order, at: 0 }, ...facts]);
}

export function executionOf(order: Order, ...facts: readonly (Fact | readonly Fact[])[]): Execution {
  return replayed(order, [admitted(), snapshotted(), ...facts.flat()]);
}

/** Facts of an order that another node carries out. */
export const sent = (eventId: string, some: Some<'sent'> = {}): Fact => ({
  kind: 'sent',
  eventId,
  corrId: 'corr_1',
  to: [{ agent: 'critic', node: 'right' }],
  capabilities: [],
  at: 0,
  ...some,
});

export const taken = (runId: string, some: Some<'taken'> = {}): Fact => ({
  kind: 'taken',
  runId,
  node: 'right',
  agent: 'critic',
  etaAt: 900_000,
  plan: '',
  theirTask: null,
  at: 1,
  ...some,
});

export const anAnswer = (some: Partial<ReceiverAnswer> = {}): ReceiverAnswer => ({
  verdict: 'checked',
  code: null,
  failureClass: null,
  message: 'every check passed',
  summary: '',
  resultRef: null,
  before: [],
  after: [result('npm test')],
  spend: { costUsd: 0.5, tokensInput: 10, tokensOutput: 5 },
  model: null,
  theirTask: null,
  parcel: null,
  ...some,
});

export const answered = (runId: string | null, answer: ReceiverAnswer): Fact => ({
  ...{ kind: 'answered', runId, node: 'right', agent: 'critic', answer, at: 2 },
});

/** Terms of an order for another node. */
export const ELSEWHERE = { to: ['critic'], needs: [], deadlineAt: null, requester: 'left' } as const;
