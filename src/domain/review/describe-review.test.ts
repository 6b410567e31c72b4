import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TaskName } from '../task/task.ts';
import { describeReview } from './describe-review.ts';
import type { ExchangeFact, ExchangeTerms } from './exchange-fact.ts';
import type { Decision, Finding } from './feedback.ts';
import { replayExchange } from './feedback-exchange.ts';

const TASK = 'TASK-2026-11-17-001' as TaskName;
const TERMS: ExchangeTerms = {
  subject: { kind: 'task', taskId: TASK },
  workspace: '/ws',
  reviewers: ['critic'],
  reviewerTerms: [],
  fixer: 'dev',
  decider: 'fixer',
  roundsMax: 2,
  ask: null,
  checks: [],
  whenClean: 'person',
};
const found = (id: string, aspect: string) => {
  const finding: Finding = { id, aspect, description: `${aspect} is wrong.`, recommendation: 'Change it.' };
  return { item: id, finding };
};
const decided = (id: string, status: Decision['status']): Decision => ({
  id,
  status,
  reasonCode: null,
  explanation: 'It rhymes.',
});

/** The sentence after these facts, while the work came to review by transition 7. */
function told(terms: Partial<ExchangeTerms>, ...facts: readonly ExchangeFact[]): string | null {
  const exchange = replayExchange([{ kind: 'opened', ...TERMS, ...terms, at: 0 }, ...facts]);
  return describeReview('fbk_1', exchange, 7)?.text ?? null;
}

const asked = (round: number): ExchangeFact => ({
  kind: 'asked',
  round,
  reviewer: 'critic',
  session: 'ses_1',
  iteration: round,
  reviewSeq: 7,
});
const answered = (round: number, ...all: ReturnType<typeof found>[]): ExchangeFact => ({
  kind: 'answered',
  round,
  reviewer: 'critic',
  found: all,
  error: null,
  at: 0,
});
const ended = (why: 'nothing-left' | 'nothing-new' | 'overtaken' | 'stopped' | 'no-answer', reviewSeq = 7) =>
  ({ kind: 'ended', why, message: why === 'no-answer' ? 'critic: it died' : null, at: 0, reviewSeq }) as const;
const fix = (round: number, items: readonly string[], decisions: readonly Decision[]): readonly ExchangeFact[] => [
  { kind: 'fixing', round, taskId: TASK, items, orderRound: 2 },
  { kind: 'fixed', round, verdict: 'checked', message: 'm', changedFiles: 1, decisions },
];

test('a review under way names its reviewers and the round', () => {
  assert.equal(told({}), 'critic reviews it, round 1 of at most 2');
  assert.equal(told({ reviewers: ['critic', 'other'] }, asked(1)), 'critic, other review it, round 1 of at most 2');
  assert.equal(
    told({ decider: 'person' }, asked(1), answered(1, found('tone-of-it', 'the tone'))),
    '1 finding of critic waits for your decision',
  );
});

test('a review that is over says what is left, the disputed first, or what became of all', () => {
  const two = [found('tone-of-it', 'the tone'), found('name-of-it', 'the name')] as const;
  const facts = [
    answered(1, ...two),
    ...fix(1, ['tone-of-it', 'name-of-it'], [decided('tone-of-it', 'accepted'), decided('name-of-it', 'rejected')]),
  ];
  assert.equal(
    told({}, ...facts, answered(2, ...two), ended('nothing-new')),
    'critic: 1 disputed (the name), 1 open (the tone)',
  );
  assert.equal(
    told({}, ...facts, answered(2), ended('nothing-left')),
    'critic finds nothing more: 1 accepted, 1 rejected',
  );
  assert.equal(told({}, answered(1), ended('nothing-left')), 'critic finds nothing');
  assert.equal(told({}, ended('no-answer')), 'no review: critic: it died');
  assert.equal(told({}, ended('stopped')), 'its review by critic was stopped');
});

test('a review says nothing about work that changed since, or that somebody else has answered', () => {
  assert.equal(told({}, answered(1), ended('nothing-left', 6)), null);
  assert.equal(told({}, answered(1), ended('overtaken')), null);
});

test('a person who returned work reads what its author did about each point', () => {
  const person = { reviewers: ['operator'], whenClean: null, roundsMax: 50 };
  const points = ['return-7-01', 'return-7-02', 'return-7-03'];
  const returned: ExchangeFact = {
    kind: 'answered',
    round: 1,
    reviewer: 'operator',
    found: points.map((id, at) => found(id, `poem.txt:${at + 1}`)),
    error: null,
    at: 0,
  };
  const dealt = fix(1, points, [decided('return-7-01', 'accepted'), decided('return-7-02', 'rejected')]);
  assert.equal(
    told(person, returned, ...dealt),
    'of your 3 points dev accepted 1, rejected 1 (poem.txt:2), said nothing about 1',
  );
  assert.equal(told(person, returned, ...dealt.slice(0, 1)), null);
});
