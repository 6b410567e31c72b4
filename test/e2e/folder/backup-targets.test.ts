import assert from 'node:assert/strict';
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { isRefusal } from '../../../src/domain/refusal.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { linesOf } from '../../support/run-baton.ts';
import { TestDaemon } from '../../support/test-daemon.ts';

const scratch = scratchFolder('backup-targets');

interface RefusedCall {
  readonly code: string;
  readonly hint: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

/** A folder in use, a second one, and names outside of both that lead into them. */
async function twoFolders(name: string) {
  const data = new DataFolder(join(scratch, name));
  const other = new DataFolder(join(scratch, `${name}-other`));
  await data.newTask('First');
  await other.json('init');
  const outside = join(scratch, `${name}-outside`);
  mkdirSync(outside);
  symlinkSync(data.path, join(outside, 'folder'));
  symlinkSync(join(data.path, 'ledger.sqlite'), join(outside, 'link'));
  symlinkSync(join(data.path, 'not-yet'), join(outside, 'dangling'));
  linkSync(join(data.path, 'ledger.sqlite'), join(outside, 'hard'));
  return { data, other, outside };
}

function targetsIn({ data, other, outside }: Awaited<ReturnType<typeof twoFolders>>): string[] {
  const own = ['ledger.sqlite', 'ledger.sqlite-wal', 'LEDGER.SQLITE', 'lock.sqlite', 'node.json', 'id', 'new.bak'];
  return [
    ...own.map((name) => join(data.path, name)),
    join(data.path, 'tasks', 'ready', 'x.bak'),
    `${outside}/../${relative(scratch, data.path)}/x.bak`,
    join(outside, 'folder', 'x.bak'),
    join(outside, 'link'),
    join(outside, 'dangling'),
    join(outside, 'hard'),
    join(other.path, 'x.bak'),
    join(other.path, 'tasks', 'x.bak'),
  ];
}

test('nothing inside a data folder is the target of a backup, by whatever name, with and without a node', async () => {
  const folders = await twoFolders('targets');
  const { data, other } = folders;
  const listing = () => [data.path, other.path].map((path) => readdirSync(path).toSorted());
  const targets = targetsIn(folders);
  const before = listing();
  for (const target of targets) {
    const run = await data.run(['backup', target, '--force', '--json']);
    const refused = linesOf<RefusedCall>(run)[0];
    assert.deepEqual([run.status, refused?.code, refused?.errors[0]?.path], [2, 'inside_data_folder', '/file'], target);
    assert.match(refused?.hint ?? '', /outside/);
  }
  assert.deepEqual(listing(), before);

  const daemon = await TestDaemon.start(data.path);
  for (const target of targets) {
    const answer = await daemon.client.backup({ file: target, force: true });
    assert.ok(isRefusal(answer) && answer.code === 'inside_data_folder', target);
  }
  await data.newTask('Second');
  await daemon.end();
  const titles = linesOf<{ title: string }>(await data.run(['task', 'list', '--json'])).map(({ title }) => title);
  assert.deepEqual(titles.toSorted(), ['First', 'Second']);
});

test('a folder with a file that is only named like one of a data folder takes backups', async () => {
  const data = new DataFolder(join(scratch, 'plain'));
  await data.newTask('First');
  const backups = join(scratch, 'backups');
  mkdirSync(backups);
  await data.json('backup', join(backups, 'ledger.sqlite'));
  await data.json('backup', join(backups, 'ledger.sqlite'), '--force');
  writeFileSync(join(backups, 'id'), 'not an id\n');
  await data.json('backup', join(backups, 'second.bak'));
});

test('a restore from a file of the ledger itself, or into a folder with a node, changes nothing', async () => {
  const data = new DataFolder(join(scratch, 'restore'));
  await data.newTask('First');
  await data.json('backup', join(scratch, 'restore.bak'));
  linkSync(join(data.path, 'ledger.sqlite'), join(scratch, 'ledger-twin'));
  writeFileSync(join(data.path, 'ledger.sqlite.restoring'), readFileSync(join(scratch, 'restore.bak')));
  const before = readFileSync(join(data.path, 'ledger.sqlite'));
  const sources = [
    join(data.path, 'ledger.sqlite'),
    join(data.path, 'ledger.sqlite.restoring'),
    join(scratch, 'ledger-twin'),
  ];
  for (const source of sources) {
    const run = await data.run(['restore', source, '--json']);
    const refused = linesOf<RefusedCall>(run)[0];
    assert.deepEqual([run.status, refused?.code, refused?.errors[0]?.path], [2, 'inside_data_folder', '/file'], source);
    assert.deepEqual(readFileSync(join(data.path, 'ledger.sqlite')), before);
  }
  assert.ok(data.has('ledger.sqlite.restoring'));
  const daemon = await TestDaemon.start(data.path);
  const run = await data.run(['restore', join(scratch, 'restore.bak'), '--json']);
  assert.deepEqual([run.status, linesOf<RefusedCall>(run)[0]?.code], [2, 'folder_in_use']);
  assert.equal((await daemon.end()).status, 0);
});
