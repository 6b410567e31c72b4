import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CliStage } from '../support/agent/cli-stage.ts';
import { CLAUDE, CODEX, type VendorCli } from '../support/agent/vendor-cli.ts';
import { orderRun, until } from '../support/run-stage.ts';

/** A second attempt, by the same agent or by one of another vendor. */
export function secondTryCase(vendor: VendorCli): void {
  test('a check fails once, and the second try is told why and passes', async () => {
    const stage = await CliStage.begin([vendor]);
    stage.model.follow([
      { do: 'write', path: stage.path('out.txt'), content: 'wrong' },
      { do: 'say', text: 'The first try is done.' },
      { do: 'write', path: stage.path('out.txt'), content: 'right' },
      { do: 'say', text: 'The second try is done.' },
    ]);
    stage.repository.write('check.sh', 'grep -q right out.txt || { echo "lacks the word ri""ght"; exit 1; }\n');
    stage.repository.commit('a check');
    const { exit, response } = await stage.run('--check', 'sh check.sh', '--retries', '1');
    assert.deepEqual([exit, response.timing?.retries_attempted], [0, 1]);
    const told = stage.model.served[2]?.text ?? '';
    assert.match(told, /lacks the word right/, 'the second try was not told what failed');
    assert.match(told, /The first try is done/, 'the second try does not go on in the session of the first');
    const tokens = stage.model.tokens.input + stage.model.asideTokens.input;
    if (!vendor.hidesTokens) assert.equal(response.cost_tracking?.tokens_input, tokens);
    assert.deepEqual(stage.left(), { processes: [], temporary: [], home: [] });
  });
}

export function continueCases(vendor: VendorCli): void {
  const other = vendor.name === CODEX.name ? CLAUDE : CODEX;

  test('continue goes on in the same session, and is told the words of the person', async () => {
    const stage = await CliStage.begin([vendor]);
    stage.model.follow([
      { do: 'write', path: stage.path('out.txt'), content: 'one' },
      { do: 'say', text: 'One is written.' },
    ]);
    assert.equal((await stage.run('--check', 'test -f out.txt')).exit, 0);
    stage.model.follow([{ do: 'write', path: stage.path('two.txt'), content: 'two' }]);
    const before = stage.model.served.length;
    const again = await stage.baton('continue', '1', 'Now write two.txt.', '--yes', '--json');
    assert.equal(again.status, 0, again.stdout + again.stderr);
    assert.equal(stage.repository.read('two.txt'), 'two');
    const told = stage.model.served[before]?.text ?? '';
    assert.match(told, /Now write two\.txt/);
    assert.match(told, /One is written/, 'it does not go on in its session');
  });

  test('after a rewind it goes on in a copy of its session, and is told where the files are', async () => {
    const stage = await CliStage.begin([vendor]);
    stage.model.follow([
      { do: 'write', path: stage.path('out.txt'), content: 'one' },
      { do: 'say', text: 'One is written.' },
    ]);
    const first = await stage.run('--check', 'test -f out.txt');
    assert.equal(first.exit, 0);
    const points = JSON.parse((await stage.baton('rewind', '1', '--json')).stdout).points as { kind: string }[];
    assert.deepEqual([points[0]?.kind, points.some(({ kind }) => kind === 'turn')], ['start', true]);
    const rewound = await stage.baton('rewind', '1', '--to', '1', '--yes', '--json');
    assert.equal(rewound.status, 0, rewound.stdout + rewound.stderr);
    assert.equal(stage.repository.git('status', '--porcelain', '--', 'out.txt'), '');
    stage.model.follow([{ do: 'write', path: stage.path('out.txt'), content: 'two' }]);
    const before = stage.model.served.length;
    const again = orderRun(await stage.baton('continue', '1', 'Write two instead.', '--yes', '--json'));
    assert.equal(again.exit, 0, again.stdout + again.stderr);
    assert.equal(stage.repository.read('out.txt'), 'two');
    const told = stage.model.served[before]?.text ?? '';
    assert.match(told, /Write two instead/);
    assert.match(told, /A person put the files back to their state before that work/);
    assert.match(told, /One is written/, 'it does not know its session');
    const tokens = stage.model.tokens.input + stage.model.asideTokens.input;
    const counted = [first, again].reduce((sum, { response }) => sum + (response.cost_tracking?.tokens_input ?? 0), 0);
    if (!vendor.hidesTokens) assert.equal(counted, tokens);
  });

  test(`continue with ${other.name} hands over the work and what was learned`, async () => {
    const stage = await CliStage.begin([vendor, other]);
    stage.model.follow([
      { do: 'write', path: stage.path('half.txt'), content: 'half' },
      { do: 'say', text: 'Half is done; the moon is full.' },
    ]);
    const first = await stage.run('--check', 'test -f whole.txt', '--retries', '0');
    assert.notEqual(first.exit, 0);
    const model = stage.models.get(other.name);
    model?.follow([{ do: 'write', path: stage.path('whole.txt'), content: 'whole' }]);
    const again = await stage.baton('continue', '1', '--agent', other.name, '--yes', '--json');
    assert.equal(again.status, 0, again.stdout + again.stderr);
    assert.deepEqual([stage.repository.read('half.txt'), stage.repository.read('whole.txt')], ['half', 'whole']);
    const told = model?.served[0]?.text ?? '';
    for (const word of ['the moon is full', 'half.txt', 'whole.txt']) assert.match(told, new RegExp(word));
  });
}

export function sayCase(vendor: VendorCli): void {
  test('words of a person reach the agent in the turn that it works on', async () => {
    const stage = await CliStage.begin([vendor]);
    stage.model.follow([
      { do: 'shell', command: 'until test -f go; do sleep 0.1; done' },
      { do: 'write', path: stage.path('out.txt'), content: 'hello' },
    ]);
    await stage.baton('up', '-d');
    const run = stage.startRun('--check', 'test -f out.txt');
    await stage.model.asked(1);
    await until(async () => (await stage.baton('logs', '1')).stdout.includes('until test'));
    const said = await stage.baton('say', '1', 'mind the gap', '--json');
    assert.deepEqual([said.status, JSON.parse(said.stdout).isDelivered], [0, true], said.stdout + said.stderr);
    stage.repository.write('go', '');
    assert.equal(orderRun(await run.ended).exit, 0, run.stdout);
    assert.match(stage.model.served.at(-1)?.text ?? '', /mind the gap/, 'its model did not get the words');
    await stage.baton('down');
    assert.deepEqual(stage.left(), { processes: [], temporary: [], home: [] });
  });
}
