import { describe, test } from 'node:test';
import { FeedbackStage } from '../support/feedback-stage.ts';
import { noBubblewrap } from '../support/test-process.ts';

const STEPS = ['asked', 'launched', 'ended', 'answered', 'exchange-asked', 'exchange-answered'];
const LAST_STEPS = ['exchange-fixed', 'exchange-ended'];

describe('feedback in rounds, killed in each step', { skip: noBubblewrap }, () => {
  const points = [
    ...STEPS.flatMap((step) => [1, 2].flatMap((count) => [`found-${step}:${count}`, `kept-${step}:${count}`])),
    ...LAST_STEPS.flatMap((step) => [`found-${step}:1`, `kept-${step}:1`]),
  ];
  for (const each of points)
    test(`goes on after kill -9 at ${each}`, async () => {
      const [point = '', count = '1'] = each.split(':');
      const stage = await FeedbackStage.begin(`killed-${each.replace(':', '-')}`);
      await stage.killed(point, Number(count));
    });
});
