import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { BATON, linesOf } from '../../support/run-baton.ts';
import { RunStage } from '../../support/run-stage.ts';
import { TerminalRun } from '../../support/terminal-run.ts';
import { noBubblewrap } from '../../support/test-process.ts';
import type { TestRepository } from '../../support/test-repository.ts';

const stage = await RunStage.up('run-terminal');
const noTerminal = spawnSync('script', ['--version']).status === 0 ? noBubblewrap : 'script (util-linux) is not here';

interface Session {
  readonly exit: number | null;
  /** Without colours and what an editor of lines sends. */
  readonly text: string;
  readonly raw: string;
}

/** `baton run` on a terminal of 80 columns, with what somebody types. */
function onTerminal(repository: TestRepository, args: readonly string[], typed = ''): Session {
  const words = [BATON, 'run', ...args, '--data', stage.data.path].map((word) => `'${word}'`).join(' ');
  const ended = spawnSync('script', ['-qec', `stty cols 80; ${words}`, '/dev/null'], {
    cwd: repository.root,
    input: typed,
    encoding: 'utf8',
    env: { ...process.env, TERM: 'xterm', NO_COLOR: '' },
  });
  const text = ended.stdout.replace(/\u001b\[[\d;]*[A-Za-z]/g, '').replaceAll('\r', '');
  return { exit: ended.status, text, raw: ended.stdout };
}

function withPackage(): TestRepository {
  const repository = stage.repository();
  repository.write('package.json', JSON.stringify({ scripts: { test: 'exit 0' } }));
  return repository;
}

describe('baton run on a terminal', { skip: noTerminal }, () => {
  test('shows the plan, then asks, and takes answers that were typed ahead', () => {
    const repository = withPackage();
    const { exit, text } = onTerminal(repository, ['@demo write a.txt x', '--agent', 'demo'], 'n\ny\n');
    assert.match(
      text,
      /task {4}@demo write a\.txt x\nagent .*\n(?: .*\n)*may .*\n(?: .*\n)*reads .*\n(?: .*\n)*checks .*\n/,
    );
    const [plan, check, dirty] = ['\nmay ', 'suggests "npm test"', '1 file has uncommitted changes'].map((words) =>
      text.indexOf(words),
    );
    assert.ok((plan ?? 0) < (check ?? 0) && (check ?? 0) < (dirty ?? 0), text);
    assert.equal(exit, 3, text);
    assert.equal(text.match(/^may /gm)?.length, 1, 'the plan is shown once');
    assert.match(text, /^task {4}TASK-\S+ {2}@demo write/m);
    assert.ok(existsSync(join(repository.root, 'a.txt')));
  });

  const AT_A_QUESTION = [
    ['Ctrl-D', '\u0004', 2, /error: not started\r\ntry: add --check "npm test"/],
    ['Ctrl-C', '\u0003', 130, /stopped by you; nothing was started/],
  ] as const;
  for (const [name, key, exit, says] of AT_A_QUESTION) {
    test(`${name} to a question begins nothing, and exits with ${exit}`, async () => {
      const repository = withPackage();
      const call = ['run', '@demo write a.txt x', '--agent', 'demo', '--data', stage.data.path];
      const run = new TerminalRun(call, { cwd: repository.root });
      await run.shows(/suggests "npm test"\. Use it\? \[Y\/n\] /);
      run.type(key);
      assert.equal(await run.ended, exit, run.screen);
      assert.match(run.screen, says);
      assert.equal(existsSync(join(repository.root, 'a.txt')), false);
    });
  }

  test('in 80 columns no line is broken by the terminal, and what to type next can be pasted', () => {
    const repository = stage.repository();
    const words = `@demo write a.txt x\n@demo say ${'many words '.repeat(20)}`;
    const checks = ['grep x a.txt', 'test -f a.txt', 'test -s a.txt', 'test -r a.txt'].flatMap((each) => [
      '--check',
      each,
    ]);
    const { exit, text } = onTerminal(repository, [words, '--agent', 'demo', ...checks]);
    assert.equal(exit, 0, text);
    const long = text.split('\n').filter((line) => line.length > 80 && line.trim().includes(' '));
    assert.deepEqual(
      long.filter((line) => !/^(receipt|next:) /.test(line)),
      [],
    );
    assert.match(text, /^ {8}│ many words many .*\n {8}│ words many/m);
    assert.match(text, /^checks {2}grep x a\.txt, .*\n {8}\S/m);
    assert.match(text, new RegExp(`^next: baton undo TASK-\\S+ --data ${stage.data.path}`, 'm'));
    assert.match(text, /^ {2}\+ a\.txt {2}\+1 -0$/m);
  });

  test('colours are for a terminal, and for one that wants them', () => {
    const repository = stage.repository();
    const call = ['@demo write a.txt x', '--agent', 'demo', '--dry-run'];
    assert.ok(onTerminal(repository, call).raw.includes('\u001b['));
    assert.equal(onTerminal(repository, [...call, '--no-color']).raw.includes('\u001b['), false);
  });
});

test('--events gives a program messages on stdout and nothing else, and a person the rest on stderr', {
  skip: noBubblewrap,
}, async () => {
  const { root } = stage.repository();
  const call = ['run', '@demo write a.txt x', '--agent', 'demo', '--check', 'grep x a.txt', '--workspace', root];
  const run = await stage.data.run([...call, '--events']);
  assert.equal(run.status, 0, run.stderr);
  const kinds = linesOf<{ message_type: string }>(run).map((line) => line.message_type);
  assert.deepEqual([kinds.at(0), kinds.at(-1)], ['EVENT', 'RESPONSE']);
  assert.match(run.stderr, /^task {4}TASK-/);
  assert.match(run.stderr, /^checked {2}TASK-\S+ is done$/m);
});
