import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statfsSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { testFolder } from '../../../test/support/test-repository.ts';
import { findDataFolders } from './find-data-folders.ts';
import { namesIn } from './folder-names.ts';
import { rawPath } from './raw-path.ts';

/** Waits until a folder is old enough for its names to be kept. */
async function settle(folder: string): Promise<void> {
  while (Date.now() - lstatSync(folder).ctimeMs <= 2_000) await setTimeout(100);
}

const EXT4 = 0xef53;

test('every change of the names in a folder is seen, also if its time was set back', async () => {
  const folder = testFolder();
  const inner = join(folder, 'inner');
  mkdirSync(inner);
  await settle(inner);
  assert.deepEqual(namesIn(rawPath(inner)), { folders: [], others: [], isEmpty: true });
  if (statfsSync(inner).type === EXT4)
    assert.equal(namesIn(rawPath(inner)), namesIn(rawPath(inner)), 'it was read twice');
  const { atime, mtime } = lstatSync(inner);
  const changes: readonly (readonly [change: () => void, folders: readonly string[], others: readonly string[]])[] = [
    [() => writeFileSync(join(inner, '.gitignore'), ''), [], ['.gitignore']],
    [() => renameSync(join(inner, '.gitignore'), join(inner, 'plain')), [], []],
    [() => symlinkSync('/', join(inner, 'HEAD')), [], ['HEAD']],
    [() => mkdirSync(join(inner, '.git')), ['.git'], ['HEAD']],
    [() => rmdirSync(join(inner, '.git')), [], ['HEAD']],
    [() => renameSync(inner, join(folder, 'aside')), [], []],
  ];
  for (const [change, folders, others] of changes) {
    change();
    mkdirSync(inner, { recursive: true });
    utimesSync(inner, atime, mtime);
    const isEmpty = readdirSync(inner).length === 0;
    assert.deepEqual(namesIn(rawPath(inner)), { folders, others, isEmpty });
  }
});

test('a folder that changed just now is read again each time', () => {
  const folder = testFolder();
  for (let turn = 0; turn < 200; turn += 1) {
    mkdirSync(join(folder, String(turn)));
    const [names, again] = [namesIn(rawPath(folder)), namesIn(rawPath(folder))];
    assert.equal(names.folders.length, turn + 1);
    assert.ok(names !== again || Date.now() - lstatSync(folder).ctimeMs > 2_000, 'it was not read again');
  }
});

test('a data folder is found in a folder that was searched before, and below names that are not text', async () => {
  const root = testFolder();
  const deep = join(root, 'a', 'b');
  mkdirSync(deep, { recursive: true });
  mkdirSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]));
  await settle(dirname(deep));
  assert.deepEqual(await findDataFolders([root], []), { folders: [], isWhole: true });
  writeFileSync(join(deep, 'node.key'), '');
  mkdirSync(join(root, 'ü', '.baton'), { recursive: true });
  // Other roots: the same ones are not searched twice within a second.
  const { folders } = await findDataFolders([root, testFolder()], []);
  assert.deepEqual([...folders].sort(), [deep, join(root, 'ü', '.baton')]);
});

test('a data folder that this machine created is found, however recent the last search is', async () => {
  const root = testFolder();
  await findDataFolders([root], []);
  const own = join(root, 'own');
  mkdirSync(own);
  assert.deepEqual(await findDataFolders([root], [own, join(root, 'gone')]), { folders: [own], isWhole: true });
});

/** The names in folders as a process of its own finds them, after it has loaded a file; it then saves into the file. */
function namesInProcess(file: string, ...folders: readonly string[]): unknown {
  const module = JSON.stringify(new URL('./folder-names.ts', import.meta.url).href);
  const program = `
    import { loadNames, namesIn, saveNames } from ${module};
    const [file, ...folders] = process.argv.slice(1);
    loadNames(file);
    process.stdout.write(JSON.stringify(folders.map((folder) => namesIn(Buffer.from(folder).toString('latin1')))));
    saveNames(file);
  `;
  const args = ['--no-warnings', '--input-type=module', '--eval', program, '--', file, ...folders];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

test('the next process does not read a folder again, unless it changed', async (context) => {
  const root = testFolder();
  if (statfsSync(root).type !== EXT4) return context.skip('only some disks have times that can be relied upon');
  const [one, two, file] = [join(root, 'ü'), join(root, 'two'), join(root, 'names.json')];
  for (const folder of [one, two]) mkdirSync(join(folder, 'inner'), { recursive: true });
  await settle(two);
  const both = [
    { folders: ['inner'], others: [], isEmpty: false },
    { folders: ['inner'], others: [], isEmpty: false },
  ];
  assert.deepEqual(namesInProcess(file, one, two), both);
  // A name that only the file has shows which folders were not read.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('inner', 'saved'));
  const { atime, mtime } = lstatSync(two);
  mkdirSync(join(two, '.git'));
  utimesSync(two, atime, mtime);
  const [unchanged, changed] = namesInProcess(file, one, two) as typeof both;
  assert.deepEqual(unchanged?.folders, ['saved']);
  assert.deepEqual([...(changed?.folders ?? [])].sort(), ['.git', 'inner']);
  // A folder at the path of another one.
  renameSync(one, join(root, 'aside'));
  mkdirSync(join(one, 'other'), { recursive: true });
  assert.deepEqual(namesInProcess(file, one), [{ folders: ['other'], others: [], isEmpty: false }]);
});

test('saved names that are torn, or of another shape, are not used', async () => {
  const root = testFolder();
  const [folder, file] = [join(root, 'folder'), join(root, 'names.json')];
  mkdirSync(join(folder, 'inner'), { recursive: true });
  await settle(folder);
  namesInProcess(file, folder);
  const saved = readFileSync(file, 'utf8').replace('inner', 'saved');
  for (const text of ['', saved.slice(0, -1), saved.replace('"saved"', 'null'), '{}', '[[]]', '\0'.repeat(20)]) {
    writeFileSync(file, text);
    assert.deepEqual(namesInProcess(file, folder), [{ folders: ['inner'], others: [], isEmpty: false }], text);
  }
});
