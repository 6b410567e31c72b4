import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CliStage } from '../support/agent/cli-stage.ts';
import type { VendorCli } from '../support/agent/vendor-cli.ts';
import type { ModelStep } from '../support/scripted-model/model-step.ts';

export function refusedLoginCase(vendor: VendorCli): void {
  test('a login that the model refuses ends the run at once, with what to do', async () => {
    const stage = await CliStage.begin([vendor], [{ do: 'fail', status: 401, times: 99 }]);
    const { exit, code, response } = await stage.run('--check', 'test -f out.txt', '--retries', '0');
    assert.deepEqual([exit, code], [1, 'E_PERMISSION_DENIED']);
    assert.match(response.error_details?.message ?? '', /its vendor refuses it: .*401.*; (run|log in) /s);
    assert.deepEqual(stage.left(), { processes: [], temporary: [], home: [] });
  });
}

const PASSING: readonly (readonly [string, ModelStep])[] = [
  ['fails twice with 500', { do: 'fail', status: 500, times: 2 }],
  ['breaks off in the middle of its words', { do: 'cut' }],
  ['sends words that are no JSON', { do: 'garble' }],
];

/** Faults of the model that pass, and faults that stay. */
export function modelFaultCases(vendor: VendorCli): void {
  for (const [what, fault] of PASSING) {
    test(`a model that ${what} and then answers: the work is done`, async () => {
      const stage = await CliStage.begin([vendor]);
      stage.model.follow([fault, { do: 'write', path: stage.path('out.txt'), content: 'hello' }]);
      const { exit } = await stage.run('--check', 'test -f out.txt');
      assert.equal(exit, 0);
    });
  }

  // A script of several turns has no fixed order with an agent that asks aside.
  if (!vendor.asksAside) {
    test('broken arguments, two calls at once, an end without words or usage: the work is done', async () => {
      const stage = await CliStage.begin([vendor]);
      const calls = [
        { do: 'write', path: stage.path('out.txt'), content: 'hello' },
        { do: 'shell', command: 'echo two > two.txt' },
      ] as const;
      const end: ModelStep = { do: 'say', text: '', hidesUsage: true };
      stage.model.follow([{ do: 'broken-call', command: 'echo x' }, { do: 'several', steps: calls }, end]);
      const { exit } = await stage.run('--check', 'test -f out.txt', '--check', 'test -f two.txt');
      assert.equal(exit, 0);
      assert.deepEqual(stage.left(), { processes: [], temporary: [], home: [] });
    });
  }

  test('a model that does not exist ends the run with E_MODEL_UNAVAILABLE', async () => {
    const stage = await CliStage.begin([vendor], [{ do: 'fail', status: 404, times: 99 }]);
    const { exit, code } = await stage.run('--check', 'test -f out.txt', '--retries', '0');
    assert.deepEqual([exit, code], [1, 'E_MODEL_UNAVAILABLE']);
  });

  test('a model that fails with 500 for a minute ends the run with E_MODEL_UNAVAILABLE', async () => {
    const stage = await CliStage.begin([vendor], [{ do: 'fail', status: 500, times: 999 }]);
    const { exit, code } = await stage.run('--check', 'test -f out.txt', '--retries', '0');
    assert.deepEqual([exit, code], [1, 'E_MODEL_UNAVAILABLE']);
    assert.deepEqual(stage.left(), { processes: [], temporary: [], home: [] });
  });
}
