import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { noStrace } from '../../test/support/strace.ts';
import { writeDurably } from './durable-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-durable-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The calls of a program that concern the folder, each as its name and the file. */
function callsOf(program: string): readonly string[] {
  const log = join(folder, 'trace');
  const node = [process.execPath, '--input-type=module', '-e', program, join(folder, 'kept')];
  const run = spawnSync('strace', ['-f', '-y', '-o', log, '-e', 'trace=fsync,fdatasync,rename,link', ...node]);
  assert.equal(run.status, 0, run.stderr.toString());
  return [...readFileSync(log, 'utf8').matchAll(/ (fsync|fdatasync|rename|link)\(.*?(kept[^">,]*)/g)].map(
    ([, call, file = '']) => `${call} ${file.replace(/\d+\.tmp/, 'tmp')}`,
  );
}

test('a file and that it is there are on the disk before its writer goes on', { skip: noStrace }, () => {
  mkdirSync(join(folder, 'kept'));
  const url = JSON.stringify(new URL('./durable-files.ts', import.meta.url).href);
  const program = `import { writeDurably } from ${url}; await writeDurably(process.argv[1] + '/a', 'x');`;
  assert.deepEqual(callsOf(program), ['fsync kept/.a.tmp', 'rename kept/.a.tmp', 'fsync kept']);
});

test('so is the key of a node', { skip: noStrace }, () => {
  const url = JSON.stringify(new URL('./node-key.ts', import.meta.url).href);
  const program = `import { openNodeKey } from ${url}; openNodeKey(process.argv[1]);`;
  assert.deepEqual(callsOf(program), ['fsync kept/node.key.tmp', 'link kept/node.key.tmp', 'fsync kept']);
});

test('what cannot be written leaves the file as it was, and nothing beside it', async () => {
  const place = join(folder, 'place');
  mkdirSync(join(place, 'a-folder'), { recursive: true });
  writeFileSync(join(place, 'a-folder', 'x'), '');
  await assert.rejects(writeDurably(join(place, 'a-folder'), 'x'), { code: 'EISDIR' });
  assert.deepEqual(readdirSync(place), ['a-folder']);
});
