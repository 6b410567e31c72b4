import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VENDORS, VendorStage } from '../../support/agent/vendor-stage.ts';
import { orderRun } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const FLAGS = ['--yes', '--json', '--retries', '1', '--check', 'grep right a.txt'];

describe('a retry', { concurrency: 2, skip: noBubblewrap }, () => {
  for (const vendor of VENDORS) {
    test(`resumes the session of ${vendor}, is told what failed only, and its spend counts once`, async (t) => {
      const stage = new VendorStage(t);
      const words = `Fill a.txt.\n@${vendor} 1 write a.txt wrong\n@${vendor} 2 write a.txt right`;
      const { exit, own, response, stderr } = orderRun(await stage.baton('run', words, '--agent', vendor, ...FLAGS));
      assert.equal(exit, 0, stderr);
      const sessions = stage.prompts(vendor);
      assert.equal(sessions.length, 1);
      const [first = '', second = ''] = sessions[0] ?? [];
      assert.match(first, /^Fill a\.txt\./);
      assert.doesNotMatch(second, /Fill a\.txt\./);
      assert.match(second, /- Failed: .*grep right a\.txt/);
      const launches = await stage.events(own.task, 'run.launched');
      const opened = await stage.events(own.task, 'run.session_opened');
      const [session, again] = opened.map(({ payload }) => payload.id);
      assert.equal(session, again);
      assert.deepEqual(
        launches.map(({ payload }) => payload.resumed),
        [undefined, session],
      );
      const { tokens_input, tokens_output, actual_cost_usd } = response.cost_tracking ?? {};
      assert.deepEqual([tokens_input, tokens_output], [240, 48]);
      if (vendor === 'claude') assert.equal(actual_cost_usd?.toFixed(5), '0.00192');
    });

    test(`begins afresh with the whole prompt where ${vendor} has lost the session, and it costs no retry`, async (t) => {
      const stage = new VendorStage(t);
      const words = `Fill a.txt.\n@${vendor} 1 write a.txt wrong\n@${vendor} 1 forget`;
      const { exit, own, response } = orderRun(await stage.baton('run', words, '--agent', vendor, ...FLAGS));
      assert.deepEqual([exit, response.timing?.retries_attempted], [1, 1]);
      const launches = await stage.events(own.task, 'run.launched');
      assert.deepEqual(
        launches.map(({ payload }) => typeof payload.resumed),
        ['undefined', 'string', 'undefined'],
      );
      const requeued = await stage.events(own.task, 'order.requeued');
      assert.match(String(requeued[1]?.payload.reason), /did not take up session .* again, so the agent starts afresh/);
    });
  }
});
