import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { noStrace } from '../../../test/support/ledger/strace.ts';
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
    ([, call, file = '']) => `${call} ${file.replace(/[\d-]+\.tmp/, 'tmp')}`,
  );
}

test('a file and that it is there are on the disk before its writer goes on', { skip: noStrace }, () => {
  mkdirSync(join(folder, 'kept'));
  const url = JSON.stringify(new URL('./durable-files.ts', import.meta.url).href);
  const program = `import { writeDurably } from ${url}; await writeDurably(process.argv[1] + '/a', 'x');`;
  assert.deepEqual(callsOf(program), ['fsync kept/.a.tmp', 'rename kept/.a.tmp', 'fsync kept']);
});

test('so is the key of a node', { skip: noStrace }, () => {
  const url = JSON.stringify(new URL('../node-key.ts', import.meta.url).href);
  const program = `import { openNodeKey } from ${url}; openNodeKey(process.argv[1]);`;
  assert.deepEqual(callsOf(program), ['fsync kept/node.key.tmp', 'link kept/node.key.tmp', 'fsync kept']);
});

test('so is each entry of the lists of known folders and trusted files', { skip: noStrace }, () => {
  const url = JSON.stringify(new URL('./trusted-paths.ts', import.meta.url).href);
  const use = (words: string) => callsOf(`import { KnownFolders, TrustedFiles } from ${url}; ${words}`);
  const files = "const files = new TrustedFiles(process.argv[1] + '/state');";
  // The folder too, for the first entry: without it a power cut would take the whole list.
  assert.deepEqual(use(`${files} files.trust('/a', 'x');`).slice(-2), ['fsync kept/state/trusted', 'fsync kept/state']);
  assert.deepEqual(use(`${files} files.withdraw('/a'); files.trust('/a', 'y');`), [
    'fsync kept/state/trusted',
    'fsync kept/state/trusted',
  ]);
  const known = "new KnownFolders(process.argv[1] + '/state').make(process.argv[1] + '/data');";
  const calls = use(known);
  const first = ['fsync kept/state/known', 'fsync kept/state'];
  const at = calls.indexOf('fsync kept/state/known');
  assert.deepEqual(calls.slice(at, at + 2), first);
  // Known before it has an id: a folder with one that nobody knows is somebody else's.
  assert.ok(calls.findIndex((call) => call.startsWith('link kept/data/')) > at, calls.join('\n'));
});

test('what cannot be written leaves the file as it was, and nothing beside it', async () => {
  const place = join(folder, 'place');
  mkdirSync(join(place, 'a-folder'), { recursive: true });
  writeFileSync(join(place, 'a-folder', 'x'), '');
  await assert.rejects(writeDurably(join(place, 'a-folder'), 'x'), { code: 'EISDIR' });
  assert.deepEqual(readdirSync(place), ['a-folder']);
});

test('two writes of one file at once do not disturb each other', async () => {
  const file = join(folder, 'shared');
  await Promise.all(Array.from({ length: 8 }, () => writeDurably(file, 'x'.repeat(100_000))));
  assert.equal(readFileSync(file, 'utf8').length, 100_000);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.tmp')),
    [],
  );
});
