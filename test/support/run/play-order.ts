import fc from 'fast-check';
import type { CheckResult } from '../../../src/domain/execution/check-result.ts';
import { type Execution, takeFact } from '../../../src/domain/execution/execution.ts';
import type { AttemptEnd, Fact } from '../../../src/domain/execution/fact.ts';
import { nextStep, type Step } from '../../../src/domain/execution/next-step.ts';
import type { Checkpoint, FallbackTrigger, Order, RecoveryStrategy } from '../../../src/domain/order/order.ts';
import { POLICY_DEFAULTS } from '../../../src/domain/order/policy.ts';
import type { Report } from '../../../src/domain/order/report.ts';
import type { ClaimedResult } from '../../../src/domain/order/work-verdict.ts';
import type { FailureCode } from '../../../src/domain/refusal.ts';
import { anOrder } from '../order/an-order.ts';
import {
  admitted,
  anAnswer,
  answered,
  collected,
  ELSEWHERE,
  ended,
  launched,
  leased,
  replayed,
  requeued,
  rolledBack,
  sent,
  settledBy,
  snapshotted,
  taken,
  verified,
} from './an-execution.ts';

/** Numbers from 0 up to, not including, `below`: what the world does next. */
type Draw = (below: number) => number;

export interface Played {
  readonly order: Order;
  readonly facts: readonly Fact[];
  readonly steps: readonly Step[];
  readonly execution: Execution;
}

/** More steps than any order may need. */
const STEPS_MAX = 2_000;
/** Steps after which no node goes away any more. */
const NODES_GONE_MAX = 40;

const TRIGGERS: readonly FallbackTrigger[] = [
  'timeout',
  'first-error',
  'critical-error',
  'all-errors',
  'cost-limit-exceeded',
];
const STRATEGIES: readonly RecoveryStrategy[] = ['retry', 'abort', 'continue', 'skip'];
const CODES: readonly FailureCode[] = ['timeout', 'process-crashed', 'budget-exceeded', 'unknown', 'malformed-answer'];
const CLAIMED: readonly (ClaimedResult | null)[] = ['done', 'partial', 'failed', 'aborted', null];
const RESULTS = ['passed', 'failed', 'could-not-run', 'not-checkable'] as const;

const checkpoints = fc
  .array(fc.constantFrom(...STRATEGIES), { maxLength: 3 })
  .map((strategies) =>
    strategies.map(
      (onFailure, at): Checkpoint => ({ id: `CP-${at}`, description: 'd', artifacts: [], validation: null, onFailure }),
    ),
  );

/** Orders of every policy. */
const orders: fc.Arbitrary<Order> = fc
  .record({
    retriesMax: fc.nat(3),
    onFailure: fc.constantFrom('report-and-continue', 'RETRY', 'abort-session'),
    abortOnFirstCriticalError: fc.boolean(),
    triggers: fc.array(fc.constantFrom(...TRIGGERS), { maxLength: 3 }),
    checkpoints,
  })
  .map(({ triggers, checkpoints: list, ...policy }) =>
    anOrder({
      policy: { ...POLICY_DEFAULTS, ...policy } as Order['policy'],
      alternatives: triggers.map((trigger, at) => ({ provider: 'GEMINI', model: `g-${at}`, trigger })),
      phases: [{ id: 'P', position: 0, label: 'l', objective: 'o', checkpoints: list }],
    }),
  );

/** Orders, carried out to their end in a world that does anything it may. */
export const playedOrders: fc.Arbitrary<Played> = fc
  .tuple(orders, fc.array(fc.nat(), { minLength: 1, maxLength: 200 }))
  .map(([order, choices]) => playOrder(order, drawFrom(choices)));

/** The same for orders that another node carries out. */
export const playedRemoteOrders: fc.Arbitrary<Played> = fc
  .array(fc.nat(), { minLength: 1, maxLength: 200 })
  .map((choices) => playOrder(anOrder({ remote: ELSEWHERE }), drawFrom(choices)));

function drawFrom(choices: readonly number[]): Draw {
  let at = 0;
  return (below) => (choices[at++ % choices.length] ?? 0) % below;
}

function playOrder(order: Order, draw: Draw): Played {
  const facts: Fact[] = [];
  const steps: Step[] = [];
  let execution = replayed(order, []);
  const take = (fact: Fact) => {
    facts.push(fact);
    execution = takeFact(execution, fact);
  };
  for (;;) {
    const step = nextStep(execution);
    steps.push(step);
    if (step.kind === 'rest') return { order, facts, steps, execution };
    if (steps.length > STEPS_MAX)
      throw new Error(`no end after ${STEPS_MAX} steps: ${JSON.stringify(steps.slice(-6))}`);
    take(obey(step, { execution, draw, number: steps.length }));
    if (execution.outcome === null && draw(25) === 0) take({ kind: 'stop-requested', by: 'operator' });
  }
}

interface World {
  readonly execution: Execution;
  readonly draw: Draw;
  readonly number: number;
}

/** The fact that a step ends in. */
function obey(step: Exclude<Step, { kind: 'rest' }>, { execution, draw, number }: World): Fact {
  const { order } = execution;
  switch (step.kind) {
    case 'admit':
      return admitted({
        agent: draw(5) === 0 ? null : 'emma',
        alternatives: order.alternatives.map((_, at) => (draw(4) === 0 ? null : `other-${at}`)),
      });
    case 'snapshot':
      return snapshotted({ files: draw(2) === 0 ? [] : [{ path: 'a', keptAs: null, strategy: 'copy', mode: null }] });
    case 'note-unanswered':
      return { kind: 'unanswered', alternative: step.alternative, message: 'nobody' };
    case 'lease':
      return leased(`r${number}`, { agent: step.agent, alternative: step.alternative });
    case 'launch':
      return draw(8) === 0 ? ended(step.runId, { kind: 'lost' }) : launched(step.runId);
    case 'watch':
      return ended(step.runId, someEnd(draw));
    case 'collect':
      return collected(step.runId, { violations: draw(10) === 0 ? ['/etc/x'] : [] });
    case 'verify':
      return verified(step.runId, someResults(order, draw));
    case 'requeue':
      return requeued({ alternative: step.alternative, dueAt: step.afterMs, reason: step.reason });
    case 'roll-back':
      return rolledBack({
        trigger: step.trigger,
        files: [{ path: 'a', restoredFrom: null, status: draw(2) === 0 ? 'failed' : 'restored' }],
      });
    case 'settle':
      return settledBy(step.outcome);
    case 'report':
      return { kind: 'reported', report: {} as Report };
    default:
      return obeyRemote(step, { execution, draw, number });
  }
}

type RemoteStep = Extract<Step, { kind: 'send' | 'await' | 'recall' | 'bring' }>;

/** The same for an order that another node carries out: nodes come, go, refuse and answer as they like. */
function obeyRemote(step: RemoteStep, { execution, draw, number }: World): Fact {
  const { remote } = execution;
  const runId = remote?.taken?.runId ?? null;
  switch (step.kind) {
    case 'send':
      return sent(`n${number}`);
    case 'recall':
      return { kind: 'recalled', nodes: ['right'], reason: step.reason, at: 0 };
    case 'bring':
      return { kind: 'brought', violations: draw(4) === 0 ? ['x'] : [], problem: draw(6) === 0 ? 'lost' : null, at: 0 };
    case 'await': {
      const node = remote?.sent?.to[0]?.node ?? '';
      if (number < NODES_GONE_MAX && draw(6) === 0)
        return { kind: 'strayed', nodes: [node], reason: 'gone', at: 0, ...(draw(2) === 0 && { isRefused: true }) };
      if (remote?.overdue === null && draw(6) === 0) return { kind: 'overdue', etaAt: 1, at: 2 };
      if (runId === null && draw(4) > 0) return taken(`r${number}`, { node });
      const isWell = runId !== null && draw(3) > 0;
      const failure = {
        verdict: 'failed',
        code: pick(CODES, draw),
        failureClass: 'execution_error',
        after: [],
      } as const;
      return answered(runId, anAnswer(isWell ? {} : failure));
    }
  }
}

function someEnd(draw: Draw): AttemptEnd {
  const kind = draw(8);
  if (kind === 0) return { kind: 'lost' };
  if (kind === 1) return { kind: 'stopped', by: 'operator' };
  if (kind < 5) return { kind: 'failed', code: pick(CODES, draw), message: 'it broke', claim: null };
  const said = pick(CLAIMED, draw);
  return {
    kind: 'finished',
    claim: draw(3) === 0 ? null : { result: said, code: null, message: 'says it', text: '{}' },
  };
}

function someResults({ phases }: Order, draw: Draw): readonly CheckResult[] {
  const found = (id: string, kind: CheckResult['kind']): CheckResult => {
    return {
      id,
      kind,
      result: pick(RESULTS, draw),
      message: 'm',
      command: null,
      exitCode: null,
      tail: '',
      durationMs: 0,
    };
  };
  return [
    ...(draw(2) === 0 ? [] : [found('out.md', 'output')]),
    ...phases.flatMap((phase) => phase.checkpoints.map(({ id }) => found(id, 'checkpoint'))),
  ];
}

function pick<Item>(items: readonly Item[], draw: Draw): Item {
  return items[draw(items.length)] as Item;
}
