import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CliStage } from '../support/agent/cli-stage.ts';
import { GEMINI, noVendorCli } from '../support/agent/vendor-cli.ts';
import { exercise } from './exercise.ts';

exercise(GEMINI);

const isWhole = process.env.BATON_TEST_AGENTS === 'all';
const skip = isWhole ? noVendorCli(GEMINI.name) : 'npm run test:agents has it';

describe('gemini, without its model', { skip }, () => {
  test('it tries a dead address in silence, and Baton ends it with E_MODEL_UNAVAILABLE', async () => {
    const stage = await CliStage.begin([GEMINI]);
    stage.model.stop();
    const { exit, code, response } = await stage.run('--check', 'test -f out.txt', '--retries', '0');
    assert.deepEqual([exit, code], [1, 'E_MODEL_UNAVAILABLE']);
    assert.match(response.error_details?.message ?? '', /cannot be reached: it refuses connections/);
    assert.deepEqual(stage.left(), { processes: [], temporary: [], home: [] });
  });
});
