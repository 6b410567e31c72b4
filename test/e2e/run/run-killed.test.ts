import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { killRuns } from '../../support/run/kill-runs.ts';
import { RunStage } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

/** Those that hurt most; npm run faults has all of them. */
const POINTS = ['found.rolled-back:1', 'kept.launched:2', 'found.collected:1', 'found.reported:2'];

describe('killed at a step of a run, with others under way', { concurrency: 2, skip: noBubblewrap }, () => {
  for (const at of POINTS) {
    test(`${at}: each order ends as it should, once, and nothing of an agent lives`, async () => {
      const { isKilled } = await killRuns(await RunStage.alone('run-killed'), { at });
      assert.ok(isKilled, 'it never got there');
    });
  }
});
