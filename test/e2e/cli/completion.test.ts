import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { runBaton } from '../../support/run-baton.ts';

const { stdout: script } = await runBaton(['completion', 'bash']);
const skip = spawnSync('bash', ['-c', 'complete']).status === 0 ? false : 'bash is not here';

/** The completions that bash would offer after these words. */
function offered(...words: readonly string[]): readonly string[] {
  const call = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _baton; printf "%s\\n" "\${COMPREPLY[@]}"`;
  const ended = spawnSync('bash', ['-c', `${script}\n${call}`, 'bash', 'baton', ...words], { encoding: 'utf8' });
  assert.equal(ended.stderr, '');
  return ended.stdout.split('\n').filter((word) => word !== '');
}

const CASES: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [['ru'], ['run']],
  [
    ['run', '--wo'],
    ['--workspace', '--worktree'],
  ],
  [['run', 'add tests', '--dr'], ['--dry-run']],
  [['task', 'ne'], ['new']],
  [['receipt', ''], ['verify']],
  [['receipt', 'verify', '--js'], ['--json']],
  [['config', 'se'], ['set']],
  [['--data', 'run', 'undo', '--ke'], ['--keep']],
  [['run', '--agent', ''], []],
];

for (const [words, wanted] of CASES) {
  test(`bash completes baton ${words.join(' ')}`, { skip }, () => {
    const found = offered(...words).filter((word) => words.at(-1) !== '' || !word.startsWith('-'));
    assert.deepEqual([...found].sort(), [...wanted].sort());
  });
}
