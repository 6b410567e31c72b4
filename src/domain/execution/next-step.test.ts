import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anOrder } from '../../../test/support/order/an-order.ts';
import {
  admitted,
  attemptOf,
  collected,
  ELSEWHERE,
  ended,
  executionOf,
  failedBy,
  launched,
  leased,
  replayed,
  requeued,
  rolledBack,
  settledBy,
  snapshotted,
} from '../../../test/support/run/an-execution.ts';
import { type Played, playedOrders, playedRemoteOrders } from '../../../test/support/run/play-order.ts';
import { KEPT, RETRIED, RUN, STOP, step } from '../../../test/support/run/step-of.ts';
import { SEED } from '../../../test/support/seed.ts';
import { RUNS_LOST_IN_A_ROW_MAX } from '../limits.ts';
import type { Report } from '../order/report.ts';
import { causedByFailure } from '../task/task-reason.ts';
import type { Fact, Outcome } from './fact.ts';
import { nextStep, type Step } from './next-step.ts';

const WITH_OTHER = anOrder({ alternatives: [{ provider: 'GEMINI', model: 'g', trigger: 'first-error' }] });

describe('an order that goes well is', () => {
  const so = (facts: number) => [admitted(), snapshotted(), ...RUN].slice(0, facts);
  const rows: [number, Step][] = [
    [0, { kind: 'admit' }],
    [1, { kind: 'snapshot' }],
    [2, { kind: 'lease', agent: 'emma', alternative: null, dueAt: 0 }],
    [3, { kind: 'launch', runId: 'r1' }],
    [4, { kind: 'watch', runId: 'r1' }],
    [5, { kind: 'collect', runId: 'r1' }],
    [6, { kind: 'verify', runId: 'r1' }],
    [
      7,
      {
        kind: 'settle',
        outcome: { verdict: 'checked', code: null, message: 'every check passed', attempts: [] },
      },
    ],
  ];
  for (const [facts, want] of rows)
    test(`${want.kind} after ${facts} facts`, () => assert.deepEqual(step(anOrder(), so(facts)), want));

  const settled = settledBy({} as Outcome);
  test('reported once it is settled', () => assert.deepEqual(step(anOrder(), so(7), settled), { kind: 'report' }));
  test('over once it is reported', () => {
    assert.deepEqual(step(anOrder(), so(7), settled, { kind: 'reported', report: {} as Report }), { kind: 'rest' });
  });
  test('the same by one more fact as by all of them', () => {
    const [last, ...before] = so(6).reverse() as [Fact, ...Fact[]];
    assert.deepEqual(nextStep(replayed(anOrder(), before.reverse()), last), { kind: 'verify', runId: 'r1' });
  });
  test('put back before it is reported, where somebody took it away, unless they go on with its files', () => {
    const order = anOrder();
    const kept = [admitted(), KEPT, leased('r1'), launched('r1')];
    const outcome = { verdict: 'aborted', code: null, message: 'm', attempts: [] } as const;
    const taken = settledBy(outcome);
    const left = collected('r1');
    assert.deepEqual(step(order, kept, taken, left), { kind: 'roll-back', trigger: 'aborted' });
    assert.deepEqual(step(order, kept, settledBy(outcome, { keepsFiles: true }), left), { kind: 'report' });
    const back = rolledBack({
      trigger: 'aborted',
      files: [{ path: 'a', restoredFrom: '/data/a', status: 'failed' }],
    });
    assert.deepEqual(step(order, kept, taken, left, back), { kind: 'report' });
    assert.equal(executionOf(order, kept, taken, left, back).outcome?.code, 'rollback-failed');
  });
  test('settled without being admitted, where it was refused', () => {
    assert.deepEqual(step(anOrder(), settled), { kind: 'report' });
  });
});

describe('an attempt that failed', () => {
  test('is collected, but not verified', () => {
    const facts = [admitted(), snapshotted(), leased('r1'), ended('r1', failedBy('timeout'))];
    assert.deepEqual(step(RETRIED, facts), { kind: 'collect', runId: 'r1' });
    const want = {
      kind: 'requeue',
      alternative: null,
      afterMs: 30_000,
      ...causedByFailure({ code: 'timeout', message: 'it broke' }),
    };
    assert.deepEqual(step(RETRIED, facts, collected('r1')), want);
  });
  test('is leased again when its time comes', () => {
    const facts = [admitted(), snapshotted(), attemptOf('r1', failedBy('timeout')), requeued({ dueAt: 99 })];
    assert.deepEqual(step(RETRIED, ...facts), { kind: 'lease', agent: 'emma', alternative: null, dueAt: 99 });
  });
  test('is followed by who answers to the alternative', () => {
    const facts = [snapshotted(), attemptOf('r1', failedBy('timeout')), requeued({ alternative: 0 })];
    const want = { kind: 'lease', agent: 'forge', alternative: 0, dueAt: 0 };
    assert.deepEqual(step(WITH_OTHER, admitted({ alternatives: ['forge'] }), ...facts), want);
    assert.deepEqual(step(WITH_OTHER, admitted({ alternatives: [null] }), ...facts), {
      kind: 'note-unanswered',
      alternative: 0,
    });
  });
  test('that was lost is collected before the next, unless its agent was never started', () => {
    const want = { kind: 'requeue', alternative: null, afterMs: 0, reason: 'its node ended while it ran', cause: null };
    const begun = [admitted(), snapshotted(), leased('r1')];
    const lost = ended('r1', { kind: 'lost' });
    assert.deepEqual(step(anOrder(), begun, launched('r1'), lost), { kind: 'collect', runId: 'r1' });
    assert.deepEqual(step(anOrder(), begun, launched('r1'), lost, collected('r1')), want);
    assert.deepEqual(step(anOrder(), begun, lost), want);
  });
  test('whose task was moved meanwhile is collected before it is reported', () => {
    const moved: Fact = {
      kind: 'settled',
      outcome: { verdict: 'aborted', code: null, message: 'moved by operator', attempts: [] },
      at: 0,
      keepsFiles: true,
    };
    const facts = [admitted(), snapshotted(), leased('r1'), launched('r1'), moved];
    assert.deepEqual(step(anOrder(), facts), { kind: 'collect', runId: 'r1' });
    assert.deepEqual(step(anOrder(), facts, collected('r1')), { kind: 'report' });
  });
  test('that was lost and has no next is collected: what it left can be seen and undone', () => {
    const names = Array.from({ length: RUNS_LOST_IN_A_ROW_MAX }, (_, at) => `r${at + 1}`);
    const last = `r${RUNS_LOST_IN_A_ROW_MAX}`;
    const lost = names.flatMap((run) => [...attemptOf(run, { kind: 'lost' }), requeued()]).slice(0, -1);
    const facts = [admitted(), snapshotted(), ...lost];
    assert.deepEqual(step(anOrder(), facts), { kind: 'collect', runId: last });
    assert.equal(step(anOrder(), facts, collected(last)).kind, 'settle');
  });
});

describe('a target that nobody answers to', () => {
  const nobody: Fact = { kind: 'unanswered', alternative: null, message: 'nobody' };
  const first = admitted({ agent: null, alternatives: ['forge'] });
  test('is noted before anything is kept', () => {
    assert.deepEqual(step(WITH_OTHER, first), { kind: 'note-unanswered', alternative: null });
  });
  test('is followed by an alternative, after what there is was kept', () => {
    assert.deepEqual(step(WITH_OTHER, first, nobody), { kind: 'snapshot' });
    assert.equal(step(WITH_OTHER, first, nobody, snapshotted()).kind, 'requeue');
  });
  test('and is stopped: nothing has to be kept for that', () => {
    assert.equal(step(WITH_OTHER, first, nobody, STOP).kind, 'settle');
  });
});

test('a fact about a run before its lease is a bug', () => {
  assert.throws(() => executionOf(anOrder(), launched('r1')), /before its lease/);
});

describe(`whatever happens (seed ${SEED})`, () => {
  const holds = (name: string, check: (played: Played) => void) =>
    test(name, () => fc.assert(fc.property(playedOrders, check), { seed: SEED, numRuns: 3_000 }));

  holds('an order ends, settled and reported once', ({ facts, steps }) => {
    assert.equal(steps.at(-1)?.kind, 'rest');
    for (const kind of ['admitted', 'settled', 'reported'] as const) {
      assert.equal(facts.filter((fact) => fact.kind === kind).length, 1, kind);
    }
    assert.ok(facts.filter(({ kind }) => kind === 'rolled-back').length <= 1);
    assert.ok(facts.filter(({ kind }) => kind === 'snapshotted').length <= 1);
  });

  holds('no two attempts are under way at once', ({ facts }) => {
    let isUnderWay = false;
    for (const { kind } of facts) {
      if (kind === 'leased') assert.equal(isUnderWay, false);
      if (kind === 'leased') isUnderWay = true;
      if (kind === 'ended') isUnderWay = false;
    }
  });

  holds('attempts stay within what the order allows', ({ order, execution }) => {
    const { retriesMax, onFailure } = order.policy;
    const retries = retriesMax + (onFailure === 'retry' ? 1 : 0);
    const hasRetryCheckpoint = order.phases.some(({ checkpoints }) =>
      checkpoints.some((one) => one.onFailure === 'retry'),
    );
    const counted = execution.attempts.filter(({ end }) => end?.kind !== 'lost');
    const most = 1 + Math.max(retries, hasRetryCheckpoint ? 1 : 0) + order.alternatives.length;
    assert.ok(counted.length <= most, `${counted.length} attempts, ${most} are allowed`);
  });

  holds('nothing is leased before it is admitted and kept, nor once it was stopped', ({ facts }) => {
    const at = (kind: Fact['kind']) => facts.findIndex((fact) => fact.kind === kind);
    const first = at('leased');
    if (first === -1) return;
    assert.ok(at('admitted') < first && at('snapshotted') !== -1 && at('snapshotted') < first);
    const stop = at('stop-requested');
    assert.ok(stop === -1 || facts.slice(stop).every(({ kind }) => kind !== 'leased'));
  });

  holds('the last word is said once what the last run left is known', ({ execution }) => {
    const last = execution.attempts.findLast(({ runId }) => runId !== null);
    assert.ok(!last || last.collected !== null);
  });

  holds('success is never said of work that did not pass', ({ execution }) => {
    const { outcome, attempts, stopRequestedBy } = execution;
    if (outcome?.verdict !== 'checked') return;
    const last = attempts.at(-1);
    const results = last?.verified?.results ?? [];
    assert.ok(results.some(({ result: found }) => found === 'passed'));
    assert.ok(results.every(({ result: found }) => found === 'passed' || found === 'not-checkable'));
    assert.deepEqual(last?.collected?.violations, [], String(stopRequestedBy));
  });

  holds('what a restart reads gives the same next step', ({ order, facts, steps }) => {
    const own = facts.filter(({ kind }) => kind !== 'stop-requested');
    if (own.length !== facts.length) return;
    for (const [at, want] of steps.entries()) assert.deepEqual(nextStep(replayed(order, facts.slice(0, at))), want);
  });
});

describe(`an order on another node, whatever happens (seed ${SEED})`, () => {
  const holds = (name: string, check: (played: Played) => void) =>
    test(name, () => fc.assert(fc.property(playedRemoteOrders, check), { seed: SEED, numRuns: 3_000 }));

  holds('it ends, settled and reported once, by one answer at most', ({ facts, steps }) => {
    assert.equal(steps.at(-1)?.kind, 'rest');
    for (const kind of ['settled', 'reported'] as const) {
      assert.equal(facts.filter((fact) => fact.kind === kind).length, 1, kind);
    }
    assert.ok(facts.filter(({ kind }) => kind === 'answered').length <= 1);
    assert.ok(
      facts.filter(({ kind }) => kind === 'recalled').length <= facts.filter(({ kind }) => kind === 'sent').length,
    );
  });

  holds('nothing is sent once it was stopped, and who had it then is told', ({ facts }) => {
    const stop = facts.findIndex(({ kind }) => kind === 'stop-requested');
    if (stop === -1) return;
    const after = facts.slice(stop).map(({ kind }) => kind);
    assert.ok(!after.includes('sent'));
    const { remote } = replayed(anOrder({ remote: ELSEWHERE }), facts.slice(0, stop));
    const isOut = remote?.sent !== null && remote?.answered === null;
    assert.equal(after.includes('recalled'), isOut);
  });

  holds('no two nodes have it at once', ({ facts }) => {
    let isTaken = false;
    for (const { kind } of facts) {
      if (kind === 'sent' || kind === 'taken') assert.equal(isTaken, false, kind);
      if (kind === 'taken') isTaken = true;
      if (kind === 'strayed' || kind === 'answered') isTaken = false;
    }
  });

  holds('work that broke its contract, or whose files were lost, is not done', ({ execution }) => {
    const { remote, outcome } = execution;
    const isWrong = (remote?.brought?.violations.length ?? 0) > 0 || remote?.brought?.problem;
    if (isWrong) assert.notEqual(outcome?.verdict, 'checked');
  });

  holds('what a restart reads gives the same next step', ({ order, facts, steps }) => {
    if (facts.some(({ kind }) => kind === 'stop-requested')) return;
    for (const [at, want] of steps.entries()) assert.deepEqual(nextStep(replayed(order, facts.slice(0, at))), want);
  });
});
