import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { CliStage } from '../support/agent/cli-stage.ts';
import type { VendorCli } from '../support/agent/vendor-cli.ts';

/** Vendors whose updates, plugins and statistics Baton turns off. */
const QUIET = ['claude', 'codex', 'gemini', 'opencode'];

/** An agent that does its work: what it leaves, what it reports, what it costs. */
export function writeCase(vendor: VendorCli): void {
  test('writes a file, passes its check, reports what the model counted, and leaves nothing', async () => {
    const stage = await CliStage.begin([vendor]);
    stage.model.follow([
      { do: 'write', path: stage.path('out.txt'), content: 'hello' },
      { do: 'say', text: 'The file is written.' },
    ]);
    const { exit, response, own } = await stage.run('--check', 'grep -q hello out.txt');
    assert.deepEqual([exit, response.task_status.final_signal], [0, 'SUCCESS']);
    assert.equal(response.execution_summary?.summary, 'The file is written.');
    assert.equal(stage.repository.read('out.txt'), 'hello');
    const { tokens_input: input, tokens_output: output } = response.cost_tracking ?? {};
    const { tokens, asideTokens } = stage.model;
    const counted = { input: tokens.input + asideTokens.input, output: tokens.output + asideTokens.output };
    if (!vendor.hidesTokens) assert.deepEqual({ input, output }, counted);
    assert.equal((own as { readonly sandbox?: string }).sandbox, 'bubblewrap');
    if (QUIET.includes(vendor.name)) assert.doesNotMatch(JSON.stringify(response), /tried to reach/);
    assert.deepEqual(stage.left(), { processes: [], temporary: [], home: [] });
  });
}

/** An agent whose command fails, or whose write is denied. */
export function mishapCases(vendor: VendorCli): void {
  test('a shell command that fails is no success, and the agent goes on', async () => {
    const stage = await CliStage.begin([vendor]);
    stage.model.follow([
      { do: 'shell', command: 'exit 3' },
      { do: 'shell', command: 'echo trouble; exit 4' },
      { do: 'write', path: stage.path('out.txt'), content: 'hello' },
    ]);
    const { exit } = await stage.run('--check', 'test -f out.txt');
    assert.equal(exit, 0);
    const [, , told = ''] = stage.model.served.map(({ text }) => text);
    assert.match(told, /trouble/, 'the model did not learn what the command printed');
    const ended = (await stage.events()).filter(({ type }) => type === 'run.tool_ended');
    const [silent, printed] = ended.map(({ payload }) => [payload.isSuccess, payload.exitCode]);
    assert.deepEqual(silent, [false, 3]);
    assert.deepEqual(printed, vendor.hidesExitCode ? [true, undefined] : [false, 4]);
  });

  test('a write outside of the grant is denied, and the run goes on', async () => {
    const stage = await CliStage.begin([vendor]);
    const outside = `${stage.home}/../outside.txt`;
    stage.model.follow([
      { do: 'shell', command: `echo no > '${outside}'; echo no > "$HOME/.bashrc"` },
      { do: 'write', path: stage.path('out.txt'), content: 'hello' },
    ]);
    const { exit } = await stage.run('--check', 'test -f out.txt');
    assert.equal(exit, 0);
    assert.deepEqual([existsSync(outside), stage.left()], [false, { processes: [], temporary: [], home: [] }]);
  });
}
