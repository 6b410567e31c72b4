import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMsOf } from '../../../../test/support/cpu-time.ts';
import { type DemoCommand, readTask } from './demo-task.ts';

function readScript(words: string) {
  const [part] = readTask(words, '/ws').parts;
  assert.ok(part);
  return part.script;
}

const TABLE: ReadonlyArray<readonly [string, readonly DemoCommand[]]> = [
  ['nothing here', []],
  ['see @demo write a b', []],
  ['@demo', []],
  ['@demo write a.txt', [{ verb: 'write', path: 'a.txt', text: '' }]],
  ['@demo write a.txt  two  words  ', [{ verb: 'write', path: 'a.txt', text: 'two  words' }]],
  ['@demo write "a b.txt" c', [{ verb: 'write', path: 'a b.txt', text: 'c' }]],
  ['@demo append a \\n\\t\\\\n', [{ verb: 'append', path: 'a', text: '\n\t\\n' }]],
  ['\t* @demo delete a\r\n- @demo hang  \r\n', [{ verb: 'delete', path: 'a' }, { verb: 'hang' }]],
  ['@demo sleep 10', [{ verb: 'sleep', milliseconds: 10 }]],
  ['@demo cost 0.5 1200', [{ verb: 'cost', usd: 0.5, tokens: 1200 }]],
  ['@demo cost 0.5', [{ verb: 'cost', usd: 0.5, tokens: 0 }]],
  ['@demo exit 3', [{ verb: 'exit', code: 3 }]],
  ['@demo respond failure', [{ verb: 'respond', signal: 'FAILURE' }]],
  ['@demo respond maybe', [{ verb: 'unknown', line: '@demo respond maybe' }]],
  ['@demo write', [{ verb: 'unknown', line: '@demo write' }]],
  ['@demo sleep -1', [{ verb: 'unknown', line: '@demo sleep -1' }]],
  ['@demo exit', [{ verb: 'unknown', line: '@demo exit' }]],
];

for (const [text, commands] of TABLE) {
  test(`${JSON.stringify(text)} is ${commands.map(({ verb }) => verb).join(', ') || 'nothing to do'}`, () => {
    assert.deepEqual(readScript(text), { commands, wrongRuns: 0 });
  });
}

test('the largest number of wrong runs counts; without a number it is one', () => {
  assert.equal(readScript('@demo wrong 2\n@demo wrong 1').wrongRuns, 2);
  assert.equal(readScript('@demo wrong').wrongRuns, 1);
});

test('a long line is read in time proportional to its length', () => {
  for (const line of [`@demo say x${' '.repeat(200_000)}x`, `@demo hang${' '.repeat(200_000)}`]) {
    assert.ok(cpuMsOf(() => assert.equal(readScript(line).commands.length, 1)) < 2_000);
  }
});
