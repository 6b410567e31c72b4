import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const PROGRAM = `
  const { crashPoint } = await import(${JSON.stringify(new URL('./crash-point.ts', import.meta.url).href)});
  for (const name of ['a', 'b', 'a', 'a']) { crashPoint(name); process.stdout.write(name); }`;

function run(crash: string): [string | null, string] {
  const env = { ...process.env, BATON_CRASH: crash };
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { encoding: 'utf8', env });
  return [child.signal, child.stdout];
}

test('a process is killed the count-th time it gets to the place named, and nowhere else', () => {
  assert.deepEqual(run('a:3'), ['SIGKILL', 'aba']);
  assert.deepEqual(run('b'), ['SIGKILL', 'a']);
  assert.deepEqual(run('a:4'), [null, 'abaa']);
  assert.deepEqual(run(''), [null, 'abaa']);
});
