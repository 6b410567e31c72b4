import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SEED } from '../../../test/support/seed.ts';
import { type ExchangeFact, type ExchangeTerms, liftExchangeFact } from './exchange-fact.ts';
import type { Decision, Finding } from './feedback.ts';
import { decisionsFor, type Exchange, leftItems, replayExchange } from './feedback-exchange.ts';
import { placeFindings } from './place-findings.ts';
import { planRound } from './plan-round.ts';

const TERMS: ExchangeTerms = {
  subject: { kind: 'file', path: 'plan.md', mediaType: 'text/markdown' },
  workspace: '/ws',
  reviewers: ['critic'],
  fixer: 'dev',
  decider: 'fixer',
  roundsMax: 3,
  ask: null,
  reviewerTerms: [],
  checks: [],
  whenClean: null,
};
const finding = (id: string, about = id): Finding => ({
  id,
  aspect: about,
  description: `${about} is missing.`,
  recommendation: `Add ${about}.`,
});
const decision = (id: string, status: Decision['status'], explanation: string | null = null): Decision => ({
  id,
  status,
  reasonCode: null,
  explanation,
});

/** An exchange that is played fact by fact, as the runner writes them. */
class PlayedRound {
  readonly facts: ExchangeFact[];

  constructor(terms: Partial<ExchangeTerms> = {}) {
    this.facts = [{ kind: 'opened', ...TERMS, ...terms, at: 0 }];
  }

  get state(): Exchange {
    return replayExchange(this.facts);
  }

  get step() {
    return planRound(this.state);
  }

  answer(reviewer: string, findings: readonly Finding[] | null): this {
    const step = this.step;
    assert.ok(step.kind === 'ask', step.kind);
    const found = placeFindings(this.state.items, reviewer, findings ?? []);
    const error = findings === null ? { code: 'INTERNAL_ERROR', message: 'it died' } : null;
    this.facts.push({ kind: 'answered', round: step.round, reviewer, found, error, at: 0 });
    return this;
  }

  fix(decisions: readonly Decision[], verdict: 'checked' | 'failed' = 'checked', changedFiles = 1): this {
    const step = this.step;
    assert.ok(step.kind === 'fix', step.kind);
    const { round } = this.state;
    const items = step.items.map(({ id }) => id);
    this.facts.push({ kind: 'fixing', round, taskId: 'TASK-2026-11-17-001' as never, items });
    assert.equal(this.step.kind, 'await-fix');
    this.facts.push({ kind: 'fixed', round, verdict, message: 'm', changedFiles, decisions });
    return this;
  }

  decide(decisions: readonly Decision[]): this {
    assert.equal(this.step.kind, 'decide');
    this.facts.push({ kind: 'decided', round: this.state.round, by: 'operator', decisions });
    return this;
  }

  fates() {
    return this.state.items.map(({ id, fate }) => [id, fate]);
  }
}

const ends = (played: PlayedRound) => {
  const { step } = played;
  return step.kind === 'end' ? step.why : step.kind;
};

test('nothing found ends at once; without anybody who decides, one round is all', () => {
  assert.equal(ends(new PlayedRound().answer('critic', [])), 'nothing-left');
  assert.equal(
    ends(new PlayedRound({ decider: 'nobody', fixer: null }).answer('critic', [finding('one-thing')])),
    'asked-once',
  );
});

test('findings are dealt with, and the reviewers asked again with what was decided', () => {
  const played = new PlayedRound().answer('critic', [
    finding('budget-missing', 'budget'),
    finding('date-missing', 'date'),
  ]);
  played.fix([decision('budget-missing', 'accepted'), decision('date-missing', 'rejected', 'not ours')]);
  assert.deepEqual(played.step, { kind: 'ask', round: 2, reviewers: ['critic'] });
  assert.deepEqual(
    decisionsFor(played.state, 'critic').map(({ id, status }) => [id, status]),
    [
      ['budget-missing', 'accepted'],
      ['date-missing', 'rejected'],
    ],
  );
  played.answer('critic', [finding('date-missing', 'date')]);
  assert.deepEqual(played.fates(), [
    ['budget-missing', 'accepted'],
    ['date-missing', 'disputed'],
  ]);
  assert.equal(played.state.items[1]?.reason, 'dev rejected: not ours | critic: date is missing.');
  assert.equal(ends(played), 'nothing-new');
});

test('a dispute has the words of every reviewer that insists, and only of those', () => {
  const about = 'The budget of the plan is never stated';
  const played = new PlayedRound({ reviewers: ['critic', 'other'] })
    .answer('critic', [finding('budget-missing', about)])
    .answer('other', [finding('no-budget-01', about)]);
  played.fix([decision('budget-missing', 'rejected', 'not ours')]);
  const louder = { ...finding('no-budget-01', about), description: `${about}, and nobody can plan.` };
  played.answer('critic', [finding('budget-missing', about)]).answer('other', [louder]);
  const [item] = played.state.items;
  assert.deepEqual(item?.insisted, [
    { reviewer: 'critic', text: `${about} is missing.` },
    { reviewer: 'other', text: `${about}, and nobody can plan.` },
  ]);
  assert.equal(
    item?.reason,
    `dev rejected: not ours | critic: ${about} is missing. | other: ${about}, and nobody can plan.`,
  );
});

test('a finding that was accepted and comes back is open again, until the rounds are used up', () => {
  const played = new PlayedRound({ roundsMax: 2 }).answer('critic', [finding('one-thing')]);
  played.fix([decision('one-thing', 'accepted')]).answer('critic', [finding('one-thing')]);
  assert.deepEqual([played.fates(), ends(played)], [[['one-thing', 'open']], 'rounds-used']);
});

test('in an only round the findings are dealt with, and nobody is asked again', () => {
  const played = new PlayedRound({ roundsMax: 1 }).answer('critic', [finding('one-thing')]);
  played.fix([decision('one-thing', 'accepted')]);
  assert.deepEqual([played.fates(), ends(played)], [[['one-thing', 'accepted']], 'rounds-used']);
});

test('a change that fails its checks applies nothing, and ends the exchange', () => {
  const played = new PlayedRound().answer('critic', [finding('one-thing'), finding('two-thing')]);
  played.fix([decision('one-thing', 'accepted'), decision('two-thing', 'rejected', 'no')], 'failed');
  assert.equal(ends(played), 'fix-failed');
  assert.deepEqual(played.fates(), [
    ['one-thing', 'open'],
    ['two-thing', 'rejected'],
  ]);
  const idle = new PlayedRound().answer('critic', [finding('one-thing')]).fix([], 'checked', 0);
  assert.equal(ends(idle), 'fix-failed');
});

test('nobody invents a decision: a finding that the agent left out stays open, and is settled when it is gone', () => {
  const played = new PlayedRound().answer('critic', [finding('one-thing'), finding('two-thing')]);
  played.fix([decision('one-thing', 'accepted'), decision('never-found', 'accepted')]);
  assert.deepEqual(played.fates(), [
    ['one-thing', 'accepted'],
    ['two-thing', 'open'],
  ]);
  played.answer('critic', []);
  assert.deepEqual([played.fates()[1], ends(played)], [['two-thing', 'accepted'], 'nothing-left']);
  assert.equal(played.state.items[1]?.reason, 'not found again in round 2');
});

test('equal findings of several reviewers are one item, and each is told by its own id', () => {
  const about = 'The budget of the plan is never stated';
  const played = new PlayedRound({ reviewers: ['critic', 'other'] })
    .answer('critic', [finding('budget-missing', about)])
    .answer('other', [finding('no-budget-01', about), finding('date-missing', 'release date')]);
  assert.deepEqual(
    played.state.items.map(({ id, idOf }) => [id, idOf]),
    [
      ['budget-missing', { critic: 'budget-missing', other: 'no-budget-01' }],
      ['date-missing', { other: 'date-missing' }],
    ],
  );
  played.fix([decision('budget-missing', 'accepted'), decision('date-missing', 'accepted')]);
  assert.deepEqual(
    decisionsFor(played.state, 'other').map(({ id }) => id),
    ['no-budget-01', 'date-missing'],
  );
  // One of two goes on about it.
  played.answer('critic', []).answer('other', [finding('no-budget-01', about)]);
  assert.deepEqual(played.fates(), [
    ['budget-missing', 'open'],
    ['date-missing', 'accepted'],
  ]);
});

test('reviewers that fail: all of them end it, one of them is named and asked again', () => {
  assert.equal(ends(new PlayedRound().answer('critic', null)), 'no-answer');
  const played = new PlayedRound({ reviewers: ['critic', 'other'] }).answer('critic', null).answer('other', []);
  assert.deepEqual(played.step, { kind: 'end', why: 'nothing-left', message: 'critic: it died' });
  const again = new PlayedRound({ reviewers: ['critic', 'other'] })
    .answer('critic', null)
    .answer('other', [finding('one-thing')]);
  assert.deepEqual(again.fix([decision('one-thing', 'accepted')]).step, {
    kind: 'ask',
    round: 2,
    reviewers: ['critic', 'other'],
  });
});

test('a person decides: accepted ones are dealt with, all rejected are only told to the reviewers', () => {
  const played = new PlayedRound({ decider: 'person' }).answer('critic', [finding('one-thing'), finding('two-thing')]);
  played.decide([decision('one-thing', 'rejected', 'no'), decision('two-thing', 'accepted')]);
  const { step } = played;
  assert.deepEqual(step.kind === 'fix' && step.items.map(({ id }) => id), ['two-thing']);
  const rejected = new PlayedRound({ decider: 'person' }).answer('critic', [finding('one-thing')]);
  assert.equal(rejected.decide([decision('one-thing', 'rejected', 'no')]).step.kind, 'ask');
});

test('facts of older Batons are lifted: an exchange without terms, a change with the verdict of its time', () => {
  const { reviewerTerms: _, ...opened } = { kind: 'opened', ...TERMS, at: 0 } as const;
  assert.deepEqual(liftExchangeFact(opened, 2), { ...opened, reviewerTerms: [] });
  const fixed = { kind: 'fixed', round: 1, signal: 'SUCCESS', message: '', changedFiles: 1, decisions: [] };
  const { signal, ...rest } = fixed;
  assert.deepEqual([signal, liftExchangeFact(fixed, 1)], ['SUCCESS', { ...rest, verdict: 'checked' }]);
});

test('whatever reviewers and agents say: rounds stay within their bound, ids are unique, and no item is forgotten', () => {
  const topics = ['budget', 'date', 'name', 'lock', 'cost'].map((word) => `the ${word} of the release plan`);
  const answers = fc.array(fc.option(fc.subarray(topics), { nil: null }), { minLength: 1, maxLength: 8 });
  const statuses = fc.array(fc.constantFrom('accepted', 'rejected', 'partial', 'none'), {
    minLength: 40,
    maxLength: 40,
  });
  const property = fc.property(answers, statuses, fc.integer({ min: 1, max: 4 }), (said, decided, roundsMax) => {
    const played = new PlayedRound({ roundsMax, reviewers: ['critic', 'other'] });
    let asked = 0;
    const seen = new Set<string>();
    for (let steps = 0; steps < 60; steps++) {
      const { step } = played;
      if (step.kind === 'end') break;
      if (step.kind === 'ask') {
        assert.ok(step.round <= roundsMax);
        const [reviewer = ''] = step.reviewers;
        const found = said[asked++ % said.length] ?? null;
        played.answer(
          reviewer,
          found?.map((about, at) => finding(`${reviewer}-${about.split(' ')[1]}-${at > 9}`, about)) ?? null,
        );
      } else if (step.kind === 'fix') {
        const decisions = step.items.flatMap(({ id }, at) => {
          const status = decided[(at + asked) % decided.length];
          return status === 'none' || status === undefined ? [] : [decision(id, status as Decision['status'], 'why')];
        });
        played.fix(decisions);
      } else assert.fail(step.kind);
      const { items } = played.state;
      assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
      for (const id of seen) assert.ok(items.some((item) => item.id === id));
      for (const { id } of items) seen.add(id);
      for (const item of items) assert.ok(item.firstRound <= item.lastRound && item.lastRound <= played.state.round);
    }
    const { step } = played;
    assert.equal(step.kind, 'end');
    if (step.kind === 'end' && step.why === 'nothing-left') assert.deepEqual(leftItems(played.state), []);
  });
  fc.assert(property, { seed: SEED, numRuns: 300 });
});
