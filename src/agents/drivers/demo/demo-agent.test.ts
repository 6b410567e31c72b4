import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newFolder, obey, readIn, responseOf, runDemo, taskText } from '../../../../test/support/agent/run-demo.ts';
import { aopCodec as aop } from '../../../protocols/aop/codec.ts';
import { saopCodec as saop } from '../../../protocols/saop/codec.ts';

test('writes, appends and deletes what the lines of the objective say', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'old.txt'), 'old\n');
  const run = await obey(folder, {
    objective: [
      'Some words, @demo in between means nothing.',
      '@demo write src/deep/hello.txt Hello, you\\nand you',
      '  - @demo append src/deep/hello.txt and\\\\or',
      '@demo write "two words.txt" x',
      '@demo delete old.txt',
    ].join('\n'),
  });
  assert.equal(run.exitCode, 0);
  assert.equal(readIn(folder, 'src/deep/hello.txt'), 'Hello, you\nand you\nand\\or\n');
  assert.equal(readIn(folder, 'two words.txt'), 'x\n');
  assert.ok(!existsSync(join(folder, 'old.txt')));
  const response = responseOf(run);
  assert.equal(response.task_status.final_signal, 'SUCCESS');
  assert.match(response.execution_summary?.summary ?? '', /No model was used\.$/);
  assert.deepEqual(
    response.execution_summary?.output_artifacts?.map(({ path, status }) => [path, status]),
    [
      [join(folder, 'src/deep/hello.txt'), 'CREATED'],
      [join(folder, 'two words.txt'), 'CREATED'],
      [join(folder, 'old.txt'), 'DELETED'],
    ],
  );
});

test('reports a heartbeat and progress for each phase in order, and every line is a message', async () => {
  const folder = newFolder();
  const run = await obey(folder, {
    objective: '@demo think first\n@demo say hello there',
    phases: [
      { phase_id: 'P2', phase_order: 2, label: 'Second', objective: '@demo append a.txt 2' },
      { phase_id: 'P1', phase_order: 1, label: 'First', objective: '@demo write a.txt 1\n@demo think again' },
    ],
  });
  assert.equal(readIn(folder, 'a.txt'), '1\n2\n');
  const kinds = run.lines.map((line) => {
    if (!line.startsWith('{')) return line;
    const [ofAop, ofSaop] = [aop.decode(line), saop.decode(line)];
    if (ofAop.verdict === 'accepted') {
      const { current_phase = '', progress } = JSON.parse(line) as {
        current_phase?: string;
        progress?: { current_phase?: string };
      };
      return `${ofAop.kind} ${progress?.current_phase ?? current_phase}`.trim();
    }
    assert.equal(ofSaop.verdict, 'accepted', JSON.stringify([ofAop, ofSaop]));
    const turn = JSON.parse(line) as { turn_index: number; content: { thought: string } };
    return `turn ${turn.turn_index} ${turn.content.thought}`;
  });
  assert.deepEqual(kinds, [
    'HEARTBEAT',
    'turn 1 first',
    'hello there',
    'HEARTBEAT P1',
    'PROGRESS_UPDATE P1',
    'turn 2 again',
    'HEARTBEAT P2',
    'PROGRESS_UPDATE P2',
    'PROGRESS_UPDATE',
    'RESPONSE',
  ]);
});

test('does the work wrongly in the given number of runs, and claims success', async () => {
  const folder = newFolder();
  const objective = '@demo wrong 2\n@demo write a.txt right';
  for (const [attempt, want] of [
    [1, 'wrong, on purpose, in run 1\n'],
    [2, 'wrong, on purpose, in run 2\n'],
    [3, 'right\n'],
  ] as const) {
    const run = await obey(folder, { objective, attempt });
    assert.equal(readIn(folder, 'a.txt'), want);
    assert.equal(responseOf(run).task_status.final_signal, 'SUCCESS');
  }
  await obey(folder, { objective, attempt: 1, extensions: { x_baton: { attempt: 3 } } });
  assert.equal(readIn(folder, 'a.txt'), 'right\n');
});

test('wrong in the objective of a phase applies to this phase only', async () => {
  const folder = newFolder();
  await obey(folder, {
    objective: 'x',
    phases: [
      { phase_id: 'P1', phase_order: 1, label: 'First', objective: '@demo write a.txt right' },
      { phase_id: 'P2', phase_order: 2, label: 'Second', objective: '@demo write b.txt right\n@demo wrong 1' },
    ],
  });
  assert.equal(readIn(folder, 'a.txt'), 'right\n');
  assert.match(readIn(folder, 'b.txt'), /^wrong/);
});

test('adds up the costs it is given', async () => {
  const run = await obey(newFolder(), { objective: '@demo cost 0.25 1000\n@demo cost 0.5 200' });
  const { actual_cost_usd, tokens_output } = responseOf(run).cost_tracking ?? {};
  assert.deepEqual([actual_cost_usd, tokens_output], [0.75, 1200]);
  const told = run.lines.map((line) => /"x_cost_tracking":\{"estimated_cost_usd":([\d.]+)/.exec(line)?.[1]);
  assert.deepEqual(told, ['0', '0.25', '0.75', '0.75', undefined], 'as it goes, not only at the end');
});

test('exits at once with the given code, without an answer', async () => {
  const folder = newFolder();
  const run = await obey(folder, { objective: '@demo write a.txt x\n@demo exit 3\n@demo write b.txt x' });
  assert.equal(run.exitCode, 3);
  assert.ok(existsSync(join(folder, 'a.txt')) && !existsSync(join(folder, 'b.txt')));
  assert.ok(run.lines.every((line) => !line.includes('RESPONSE')));
});

test('answers once with the given signal, and may still exit with an error', async () => {
  const run = await obey(newFolder(), { objective: '@demo respond success\n@demo exit 1' });
  assert.equal(run.exitCode, 1);
  assert.equal(responseOf(run).task_status.final_signal, 'SUCCESS');
  for (const signal of ['PARTIAL_SUCCESS', 'FAILURE', 'ABORTED']) {
    assert.equal(
      responseOf(await obey(newFolder(), { objective: `@demo respond ${signal}` })).task_status.final_signal,
      signal,
    );
  }
});

test('hangs silently until it is ended', async () => {
  const folder = newFolder();
  const text = taskText(folder, { objective: '@demo say here\n@demo hang\n@demo write a.txt x' });
  const run = await runDemo(folder, text, (chunk, kill) => {
    if (chunk.includes('here')) kill();
  });
  assert.equal(run.signal, 'SIGTERM');
  assert.ok(!existsSync(join(folder, 'a.txt')));
});

test('touches nothing outside of the workspace, reports that, and obeys the other lines', async () => {
  const folder = newFolder();
  const outside = join(folder, '..', 'outside.txt');
  writeFileSync(outside, 'mine\n');
  symlinkSync('../outside.txt', join(folder, 'link'));
  symlinkSync('../made.txt', join(folder, 'dangles'));
  symlinkSync('..', join(folder, 'up'));
  for (const path of ['../outside.txt', outside, 'link', 'up/outside.txt', 'dangles', 'up/new.txt']) {
    const run = await obey(folder, {
      objective: `@demo write ${path} x\n@demo append ${path} x\n@demo write in.txt x`,
    });
    const response = responseOf(run);
    assert.equal(response.task_status.final_signal, 'FAILURE', path);
    assert.equal(response.error_details?.error_code, 'E_PERMISSION_DENIED', path);
    assert.equal(readIn(folder, 'in.txt'), 'x\n');
  }
  await obey(folder, { objective: '@demo delete up/outside.txt\n@demo delete ..\n@demo delete .\n@demo delete link' });
  assert.equal(readFileSync(outside, 'utf8'), 'mine\n');
  assert.ok(!existsSync(join(folder, '..', 'made.txt')) && !existsSync(join(folder, '..', 'new.txt')));
  assert.ok(!existsSync(join(folder, 'link')) && existsSync(folder));
});

test('an unknown line is an error that names it', async () => {
  const response = responseOf(await obey(newFolder(), { objective: '@demo fly high\n@demo sleep soon' }));
  assert.deepEqual(response.execution_summary?.errors, [
    'This line is not known: @demo fly high',
    'This line is not known: @demo sleep soon',
  ]);
  assert.equal(response.task_status.final_signal, 'FAILURE');
});

test('without any @demo line it makes the missing outputs, each in the format of its file name', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'there.md'), 'mine\n');
  const names = [
    'a.md',
    'b.json',
    'c.py',
    'd.sh',
    'e.ts',
    'f.html',
    'g.txt',
    'h.yaml',
    'i.csv',
    'deep/j.js',
    'there.md',
  ];
  const run = await obey(folder, {
    objective: 'Make them.',
    expected_outputs: [
      ...names.map((name) => ({ type: 'FILE', path: name, description: 'What "it" is' })),
      { type: 'DIRECTORY', path: join(folder, 'out'), description: 'for later' },
      { type: 'TEXT', description: 'nothing to make' },
    ],
  });
  assert.equal(responseOf(run).task_status.final_signal, 'SUCCESS');
  assert.equal(readIn(folder, 'there.md'), 'mine\n');
  for (const name of names.slice(0, -1))
    assert.match(readIn(folder, name), /What .*it.* is[\s\S]*No model was used/, name);
  assert.equal((JSON.parse(readIn(folder, 'b.json')) as { description: string }).description, 'What "it" is');
  assert.ok(existsSync(join(folder, 'out')));
});

test('a prompt in words, such as a v1 prompt, is obeyed in the working directory', async () => {
  const folder = newFolder();
  const run = await runDemo(folder, '# ORCHESTRATION_TASK\n\n@demo write a.txt x\n');
  assert.equal(run.exitCode, 0);
  assert.equal(readIn(folder, 'a.txt'), 'x\n');
  assert.match(run.lines.join('\n'), /^SUCCESS: .* No model was used\.$/);
});
