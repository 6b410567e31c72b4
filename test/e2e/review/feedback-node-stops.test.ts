import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedbackStage } from '../../support/review/feedback-stage.ts';
import { until } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

test('feedback ends, and says how to continue, when its node is stopped', { skip: noBubblewrap }, async () => {
  const sleeper = { driver: 'process', command: ['sleep', '600'], provider: 'OTHER', model: 'm' };
  const stage = await FeedbackStage.begin('feedback-node-stops', { isUp: true, settings: { agents: { sleeper } } });
  const { root } = stage.repository('a plan');
  const running = stage.data.run(['feedback', 'plan.md', '--from', 'sleeper'], { folder: root });
  await until(async () => (await stage.events('feedback.asked')).length > 0);
  assert.equal((await stage.data.run(['down'])).status, 0);
  const { status, stderr } = await running;
  assert.equal(status, 5, stderr);
  assert.match(stderr, /the node was stopped/);
  assert.match(stderr, /baton feedback fbk_\w+/);
  await stage.daemon?.ended;
});
