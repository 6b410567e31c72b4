import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openNode } from '../../src/node.ts';
import { scratchFolder } from '../support/data-folder.ts';
import { ROOT, runBaton } from '../support/run-baton.ts';

const PAGE = readFileSync(join(ROOT, 'docs/library.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code);

test('every example of docs/library.md prints the lines that its comments promise', async () => {
  assert.ok(EXAMPLES.length > 0);
  for (const code of EXAMPLES) {
    const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
    const run = await runBaton(['--input-type=module', '-e', code], { program: process.execPath });
    assert.deepEqual(run.stdout.trimEnd().split('\n'), promised, run.stderr);
  }
});

test('every export of the protocols stands in docs/library.md', async () => {
  const code = "console.log(Object.keys(await import('baton-agents/protocols')).join('\\n'))";
  const { stdout } = await runBaton(['--input-type=module', '-e', code], { program: process.execPath });
  for (const name of stdout.trimEnd().split('\n')) assert.ok(PAGE.includes(`\`${name}`), name);
});

test('a node opens with a data folder alone', async () => {
  const node = await openNode({ dataFolder: join(scratchFolder('library-page'), 'data') });
  assert.ok('counts' in (await node.status()));
  await node.close();
});
