import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { reviewerTerms } from '../../../test/support/order/some-terms.ts';
import { SEED } from '../../../test/support/seed.ts';
import type { Finding } from './feedback.ts';
import {
  type FeedbackSession,
  type FeedbackSessionFact,
  liftFeedbackSessionFact,
  refuseIteration,
  replayFeedbackSession,
  spentBefore,
} from './feedback-session.ts';

const OPENED: FeedbackSessionFact = { kind: 'opened', agent: 'critic', workspace: '/ws', terms: null, at: 0 };
const artifact = { mediaType: 'text/plain', ref: null, sha256: 'x', bytes: 1 };
const spend = (costUsd: number) => ({ costUsd, tokens: 2, tokensInput: 1, tokensOutput: 1 });
const finding = (id: string, description = id): Finding => ({ id, aspect: 'a', description, recommendation: 'r' });

const asked = (iteration: number, ids: readonly string[] = []): FeedbackSessionFact => ({
  kind: 'asked',
  iteration,
  artifact,
  decisions: ids.map((id) => ({ id, status: 'accepted', reasonCode: null, explanation: null })),
  at: iteration * 10,
});
const answered = (iteration: number, ids: readonly string[] | null): FeedbackSessionFact => ({
  kind: 'answered',
  iteration,
  isSuccess: ids !== null,
  text: `answer ${iteration}`,
  findings: (ids ?? []).map((id) => finding(id, `${id} in ${iteration}`)),
  at: iteration * 10 + 5,
});
const launched = (runId: string): FeedbackSessionFact => ({
  kind: 'launched',
  runId,
  pid: 7,
  startTicks: 8,
  resumed: null,
});
const ended = (runId: string, costUsd: number): FeedbackSessionFact => ({
  kind: 'ended',
  runId,
  spend: spend(costUsd),
});
const opened = (session: string): FeedbackSessionFact => ({ kind: 'vendor-session', runId: 'rvw_1', session });

test('a session replays its iterations, its findings in their last wording, and its spend', () => {
  const session = replayFeedbackSession([
    ...[OPENED, asked(1), launched('rvw_1'), opened('vendor-1'), ended('rvw_1', 1), answered(1, ['one', 'two'])],
    ...[asked(2, ['one']), launched('rvw_2'), opened('vendor-1'), ended('rvw_2', 2), answered(2, ['two', 'three'])],
  ]);
  assert.deepEqual(
    [session.agent, session.workspace, session.open, session.vendorSession],
    ['critic', '/ws', null, 'vendor-1'],
  );
  assert.deepEqual(
    session.findings.map(({ id, description }) => [id, description]),
    [
      ['one', 'one in 1'],
      ['two', 'two in 2'],
      ['three', 'three in 2'],
    ],
  );
  assert.deepEqual(session.last, {
    iteration: 2,
    isSuccess: true,
    text: 'answer 2',
    spend: spend(2),
    askedAt: 20,
    answeredAt: 25,
  });
  assert.equal(session.spentInVendorSession.costUsd, 3);
  assert.deepEqual(
    session.decisions.map(({ id }) => id),
    ['one'],
  );
});

test('the vendor session of an iteration that failed is not continued', () => {
  const before = [OPENED, asked(1), opened('vendor-1'), ended('rvw_1', 1), answered(1, ['one'])];
  const failed = replayFeedbackSession([...before, asked(2), opened('vendor-2'), ended('rvw_2', 4), answered(2, null)]);
  assert.deepEqual([failed.vendorSession, failed.spentInVendorSession.costUsd], ['vendor-1', 1]);
  const lost = replayFeedbackSession([...before, asked(2), launched('rvw_2'), { kind: 'lost', iteration: 2, at: 9 }]);
  assert.deepEqual([lost.vendorSession, lost.open, lost.last?.iteration], ['vendor-1', null, 1]);
});

test('a second try counts what the first one spent in the same vendor session', () => {
  const open = replayFeedbackSession([OPENED, asked(1), launched('rvw_1'), opened('vendor-1'), ended('rvw_1', 3)]);
  assert.equal(spentBefore(open, 'vendor-1').costUsd, 3);
  assert.equal(spentBefore(open, 'vendor-2').costUsd, 0);
  assert.equal(open.open?.run, null);
});

const TURNS: readonly (readonly [what: string, facts: readonly FeedbackSessionFact[], allowed: readonly number[]])[] = [
  ['a new session', [], [1]],
  ['an iteration that is being answered', [asked(1)], []],
  ['a success', [asked(1), answered(1, [])], [2]],
  ['an error', [asked(1), answered(1, null)], [1, 2]],
  ['a loss', [asked(1), { kind: 'lost', iteration: 1, at: 1 }], [1]],
  ['a loss after a success', [asked(1), answered(1, []), asked(2), { kind: 'lost', iteration: 2, at: 1 }], [2]],
  ['a repeated error', [asked(1), answered(1, null), asked(1), { kind: 'lost', iteration: 1, at: 1 }], [1, 2]],
];

for (const [what, facts, allowed] of TURNS) {
  test(`after ${what} the next iteration is ${allowed.join(' or ') || 'not due'}`, () => {
    const session = replayFeedbackSession([OPENED, ...facts]);
    const found = [0, 1, 2, 3, 4].filter((iteration) => refuseIteration(session, iteration) === null);
    assert.deepEqual(found, allowed);
  });
}

type Act = { readonly ask: number; readonly end: 'success' | 'error' | 'lost'; readonly ids: readonly string[] };

/** Plays requests, right and wrong ones, as a provider gets them. */
function play(acts: readonly Act[]): { session: FeedbackSession; taken: number[]; given: Set<string> } {
  const facts: FeedbackSessionFact[] = [OPENED];
  const taken: number[] = [];
  const given = new Set<string>();
  let last = { iteration: 0, isSuccess: true };
  for (const { ask, end, ids } of acts) {
    const isDue = ask === last.iteration + 1 || (ask === last.iteration && !last.isSuccess);
    assert.equal(refuseIteration(replayFeedbackSession(facts), ask) === null, isDue, `${ask} after ${last.iteration}`);
    if (!isDue) continue;
    if (end !== 'lost') last = { iteration: ask, isSuccess: end === 'success' };
    facts.push(asked(ask, ids));
    if (end === 'lost') facts.push({ kind: 'lost', iteration: ask, at: 0 });
    else facts.push(answered(ask, end === 'success' ? ids : null));
    if (end === 'success') taken.push(ask);
    if (end === 'success') for (const id of ids) given.add(id);
  }
  return { session: replayFeedbackSession(facts), taken, given };
}

test('a session of an older Baton takes the terms of its next iteration, and keeps them', () => {
  const { terms: _, ...stored } = OPENED as Extract<FeedbackSessionFact, { readonly kind: 'opened' }>;
  const opened = liftFeedbackSessionFact(stored, 2) as FeedbackSessionFact;
  assert.equal(replayFeedbackSession([opened]).terms, null);
  const terms = reviewerTerms('critic');
  const facts = [opened, { ...asked(1), terms } as FeedbackSessionFact, answered(1, []), asked(2)];
  assert.deepEqual(replayFeedbackSession(facts).terms, terms);
});

test('whatever is asked, in whatever order: iterations go up by one, none is answered twice, no finding is forgotten', () => {
  const act = fc.record({
    ask: fc.integer({ min: 0, max: 6 }),
    end: fc.constantFrom('success' as const, 'error' as const, 'lost' as const),
    ids: fc.uniqueArray(fc.constantFrom('aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd'), { maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const { session, taken, given } = play(acts);
      assert.ok(taken.every((iteration, at) => at === 0 || iteration > (taken[at - 1] ?? 0)));
      assert.deepEqual(new Set(session.findings.map(({ id }) => id)), given);
      assert.equal(session.open, null);
      const next = (session.last?.iteration ?? 0) + 1;
      assert.equal(refuseIteration(session, next), null);
    }),
    { seed: SEED, numRuns: 500 },
  );
});
