import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VendorStage } from '../../support/agent/vendor-stage.ts';
import { orderRun } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

// Each turn of the stand-ins takes 120 tokens in and 24 out.
const PRICES = 'prices:\n  codex: { date: 2026-11-01, input_usd: 10, output_usd: 100 }\n';
const RUN = ['--agent', 'codex', '--yes', '--check', 'grep right a.txt'];

function priced(stage: VendorStage, settings = PRICES): VendorStage {
  stage.configure(settings);
  return stage;
}

describe('prices of the user', { concurrency: 2, skip: noBubblewrap }, () => {
  test('make the cost of an agent that reports tokens only, once for each turn of its session', async (t) => {
    const stage = priced(new VendorStage(t));
    const words = 'Fill a.txt.\n@codex 1 write a.txt half\n@codex 2 write a.txt right';
    const { exit, response, stderr } = orderRun(await stage.baton('run', words, ...RUN, '--json'));
    assert.equal(exit, 0, stderr);
    const { actual_cost_usd: cost, model_pricing_tier: tier } = response.cost_tracking ?? {};
    assert.deepEqual([cost, tier], [0.0072, 'your prices of 2026-11-01']);
  });

  test('let a cap on money stop the next attempt; without a price the plan says that it cannot', async (t) => {
    const words = 'Fill a.txt.\n@codex 1 write a.txt half\n@codex 2 write a.txt right';
    const capped = await priced(new VendorStage(t)).baton('run', words, ...RUN, '--budget', '0.001');
    assert.equal(capped.status, 5, capped.stderr);
    assert.match(
      capped.stdout,
      /^note +codex reports tokens only at the end; Baton then computes the cost from your prices of 2026-11-01/m,
    );
    const unpriced = await new VendorStage(t).baton('run', words, ...RUN, '--budget', '0.001');
    assert.equal(unpriced.status, 0, unpriced.stderr);
    assert.match(unpriced.stdout, /^note +codex reports tokens and no cost: the cap of \$0\.001 cannot stop it/m);
  });

  test('need a day and amounts', async (t) => {
    const stage = priced(new VendorStage(t), 'prices: { codex: { input_usd: 10, output_usd: -1 } }\n');
    const { status, stderr } = await stage.baton('run', 'Fill a.txt.', ...RUN);
    assert.equal(status, 2);
    assert.match(stderr, /prices\.codex\.(date|output_usd)/);
  });
});
