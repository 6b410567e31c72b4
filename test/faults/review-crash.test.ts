import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FEEDBACK_POINTS, folderNameOf } from '../support/review/feedback-crashes.ts';
import { FeedbackStage } from '../support/review/feedback-stage.ts';
import { noBubblewrap } from '../support/test-process.ts';

describe('a review by policy, killed in each step', { skip: noBubblewrap }, () => {
  for (const point of FEEDBACK_POINTS.filter((each) => !each.includes('vendor-session')))
    test(`goes on after kill -9 at ${point}`, async () => {
      const stage = await FeedbackStage.begin(folderNameOf(`policy-${point}`));
      assert.ok(await stage.killedInReview(point), 'it never came there');
    });
});
