import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedbackStage } from '../support/review/feedback-stage.ts';
import { noBubblewrap } from '../support/test-process.ts';

const AT_ONCE = 4;
/** Every third commit, within the time of a test file; its twin kills on the other side of the one that follows. */
const STRIDE = 3;
const COMMITS_MAX = 400;

test('feedback in rounds goes on after kill -9 after every third of its commits', { skip: noBubblewrap }, async () => {
  let kills = 0;
  for (let count = 1; count < COMMITS_MAX; count += AT_ONCE * STRIDE) {
    const counts = Array.from({ length: AT_ONCE }, (_, at) => count + at * STRIDE);
    const killed = await Promise.all(
      counts.map(async (each) => (await FeedbackStage.begin(`commit-after-${each}`)).killed(`commit.after:${each}`)),
    );
    kills += killed.filter(Boolean).length;
    if (killed.includes(false)) break;
  }
  assert.ok(kills > 7, `${kills} commits`);
});
