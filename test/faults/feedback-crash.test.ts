import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sourceFiles } from '../house/source-file.ts';
import { FEEDBACK_POINTS, FEEDBACK_STEPS, folderNameOf } from '../support/review/feedback-crashes.ts';
import { FeedbackStage } from '../support/review/feedback-stage.ts';
import { noBubblewrap } from '../support/test-process.ts';

/** Steps of the order by which the author deals with the findings. */
const FIX_STEPS = ['snapshotted', 'launched', 'ended', 'collected', 'verified', 'reported'];

/** Provider programs of this kind report a session, as a tool layer does. */
const criticFor = (point: string) => (point.includes('vendor-session') ? 'stream' : 'well');

describe('feedback in rounds, killed in each step', { skip: noBubblewrap }, () => {
  test('every step that the code keeps is in the list', () => {
    const kept = sourceFiles('src/reviews').flatMap(({ text }) =>
      [...text.matchAll(/\b(?:keepFact|mustKeepFact|keepUnlessOver)\([\w.]+, '([a-z-]+)'/g)].map(([, kind]) => kind),
    );
    const tries = ['launched', 'vendor-session', 'ended'];
    assert.deepEqual([...new Set([...kept, ...tries])].toSorted(), Object.keys(FEEDBACK_STEPS).toSorted());
  });

  for (const point of [...FEEDBACK_POINTS, ...FIX_STEPS.flatMap((step) => [`found.${step}:1`, `kept.${step}:1`])])
    test(`goes on after kill -9 at ${point}`, async () => {
      const stage = await FeedbackStage.begin(folderNameOf(`killed-${point}`));
      assert.ok(await stage.killed(point, criticFor(point)), 'it never came there');
    });
});
