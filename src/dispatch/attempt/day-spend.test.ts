import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reviewerTerms } from '../../../test/support/order/some-terms.ts';
import { TaskLife } from '../../../test/support/task/task-life.ts';
import { isRefusal } from '../../domain/refusal.ts';
import {
  answerSession,
  askSession,
  loseSession,
  openFeedbackSession,
  recordTry,
} from '../../reviews/record-feedback-session.ts';
import { DaySpend } from './day-spend.ts';

const ARTIFACT = { mediaType: 'text/plain', ref: null, sha256: 'a'.repeat(64), bytes: 1 };

/** A review whose only try has cost this much; its iteration is still open. */
async function reviewThatCost({ at: { ledger } }: TaskLife, costUsd: number): Promise<string> {
  const opened = await ledger.submit(openFeedbackSession, { workspace: '/ws', terms: reviewerTerms('critic') });
  assert.ok(!isRefusal(opened));
  const session = opened.id;
  await ledger.submit(askSession, {
    session,
    taskId: null,
    by: 'operator',
    iteration: 1,
    artifact: ARTIFACT,
    decisions: [],
  });
  const runId = `rvw_${session}`;
  const started = { kind: 'launched', runId, pid: null, startTicks: null, resumed: null } as const;
  await ledger.submit(recordTry, { session, fact: started });
  const spend = { costUsd, tokens: 10, tokensInput: 5, tokensOutput: 5 };
  await ledger.submit(recordTry, { session, fact: { kind: 'ended', runId, spend } });
  return session;
}

test('reviews count toward the day, answered or lost, each once', async () => {
  const life = await TaskLife.open();
  const { ledger, clock } = life.at;
  const day = new DaySpend(ledger.read, clock);
  const answered = await reviewThatCost(life, 0.25);
  // While it works, what it tells of itself counts.
  assert.equal(day.limitOfReview(answered, 1, 0.25).spentUsd(0.5), 0.75);
  assert.equal(await day.usd(), 0.75);
  const answer = { session: answered, taskId: null, iteration: 1, text: '{}', findings: [], error: null };
  await ledger.submit(answerSession, answer);
  assert.equal(await day.usd(), 0.25);
  await ledger.submit(loseSession, { session: await reviewThatCost(life, 0.5) });
  assert.equal(await day.usd(), 0.75);
  assert.equal(await new DaySpend(ledger.read, clock).usd(), 0.75);
  clock.jumpWall(24 * 3_600_000);
  assert.equal(await day.usd(), 0);
});
