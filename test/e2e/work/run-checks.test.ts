import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { linesOf } from '../../support/run-baton.ts';
import { type OrderRun, orderRun, RunStage } from '../../support/run-stage.ts';
import { noBubblewrap } from '../../support/test-process.ts';

const stage = await RunStage.up('run-checks');

async function words(text: string, root: string, ...flags: string[]): Promise<OrderRun> {
  const args = ['run', text, '--agent', 'demo', '--workspace', root, '--json', ...flags];
  return orderRun(await stage.data.run(args));
}

describe('a check that could not run', { concurrency: 3, skip: noBubblewrap }, () => {
  const COMMANDS: readonly (readonly [what: string, command: string])[] = [
    ['a program that is not there', 'no-such-program-x --all'],
    ['a script without its interpreter', './lost.sh'],
    ['a file that is no program', './plain.txt'],
    ['exit 127', 'sh -c "exit 127"'],
    ['exit 126', 'sh -c "exit 126"'],
  ];
  for (const [what, command] of COMMANDS) {
    test(`${what}: the work is unchecked, and nobody is blamed for it`, async () => {
      const repository = stage.repository();
      repository.write('lost.sh', '#!/no/such/interpreter\n', 0o755);
      repository.write('plain.txt', 'text\n', 0o644);
      repository.commit('scripts');
      const { exit, own, response } = await words('@demo write a.txt a', repository.root, '--check', command);
      assert.deepEqual([exit, own.unchecked, response.timing?.retries_attempted], [3, true, 0]);
      assert.match(response.execution_summary?.warnings?.join('\n') ?? '', /a check could not run: /);
      assert.equal((await stage.task(own.task)).status, 'review');
    });
  }

  test('one that ran before the work and lacks a program after it is a failure of the work', async () => {
    const repository = stage.repository();
    repository.write('t.sh', 'exit 0\n');
    repository.commit('a check');
    const { exit, own } = await words('@demo write t.sh exit 127', repository.root, '--check', 'sh t.sh');
    assert.deepEqual([exit, own.unchecked], [1, false]);
  });

  test('a person reads that it could not run, why, and how to try again', async () => {
    const { root } = stage.repository();
    const args = ['run', '@demo write a.txt a', '--agent', 'demo', '--workspace', root, '--check', 'no-such-program-x'];
    const { status, stdout } = await stage.data.run(args);
    assert.equal(status, 3);
    assert.match(
      stdout,
      /^unchecked {2}TASK-\S+: a check could not run: no-such-program-x: .*; it waits for your review$/m,
    );
    assert.match(stdout, /^ {2}\? no-such-program-x \(could not run, same as before\)$/m);
    assert.match(stdout, /^next: baton verify TASK-/m);
  });
});

describe('what a check printed', { skip: noBubblewrap }, () => {
  test('logs shows the output of the agent, then the end of each check that did not pass', async () => {
    const repository = stage.repository();
    repository.write('t.sh', 'for line in 1 2 3; do echo "line $line"; done; echo broken >&2; exit 9\n');
    repository.commit('a check');
    const flags = ['--check', 'sh t.sh', '--check', 'test -f a.txt'];
    const { exit, own } = await words('@demo say hello\n@demo write a.txt a', repository.root, ...flags);
    assert.equal(exit, 1);
    const { stdout } = await stage.data.run(['logs', own.task]);
    assert.match(stdout, /\n--- check sh t\.sh: exit 9, expected 0\nline 1\nline 2\nline 3\nbroken\n$/);
    assert.doesNotMatch(stdout, /check test -f/);
    const parts = linesOf<{ task: string; text: string; check?: string }>(
      await stage.data.run(['logs', own.task, '--json']),
    );
    assert.deepEqual(parts.map(({ task, check }) => [task, check]).at(-1), [own.task, 'sh t.sh']);
  });

  test('a long log goes through a pipe without a warning of Node', async () => {
    const { root } = stage.repository();
    const { own } = await words('@demo write a.txt a', root, '--check', 'test -f a.txt');
    const folder = join(stage.data.path, 'runs', own.task);
    mkdirSync(folder, { recursive: true });
    const line = `${'x'.repeat(99)}\n`;
    writeFileSync(join(folder, 'output.log'), line.repeat(400_000));
    const { status, stdout, stderr } = await stage.data.run(['logs', own.task]);
    assert.deepEqual([status, stdout.length, stderr], [0, 40_000_000, '']);
  });
});

test('line counts are shown for a workspace below the root of its repository', { skip: noBubblewrap }, async () => {
  const repository = stage.repository();
  repository.write('deep/er/b.txt', 'b\n');
  repository.commit('deep');
  const args = [
    'run',
    '@demo write a.txt one\\ntwo\n@demo append b.txt c',
    '--agent',
    'demo',
    '--check',
    'test -f a.txt',
  ];
  const { stdout } = await stage.data.run([...args, '--workspace', join(repository.root, 'deep', 'er')]);
  assert.match(stdout, /^ {2}\+ a\.txt {2}\+2 -0$/m);
  assert.match(stdout, /^ {2}~ b\.txt {2}\+1 -0$/m);
});
