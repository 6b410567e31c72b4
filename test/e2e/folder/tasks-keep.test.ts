import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { BackupAnswer, RestoreAnswer, StatusAnswer } from '../../../src/api/contract.ts';
import { DataFolder, scratchFolder } from '../../support/data-folder.ts';
import { type BatonRun, linesOf } from '../../support/run-baton.ts';

const scratch = scratchFolder('tasks-keep');
const folder = (name: string) => new DataFolder(join(scratch, name));
const file = (name: string) => join(scratch, name);

interface RefusedCall {
  readonly verdict: string;
  readonly code: string;
  readonly hint: string;
}

function refusalOf(run: BatonRun): readonly [status: number | null, code: string | undefined] {
  return [run.status, linesOf<RefusedCall>(run)[0]?.code];
}

async function titles(data: DataFolder): Promise<string[]> {
  return linesOf<{ title: string }>(await data.run(['task', 'list', '--json'])).map(({ title }) => title);
}

/** The ledger and its log; SQLite leaves an empty one where it looked and could not go on. */
function hashes(data: DataFolder): string[] {
  const names = readdirSync(data.path).filter((name) => /^ledger\.sqlite(-wal)?$/.test(name));
  return names
    .filter((name) => name === 'ledger.sqlite' || statSync(join(data.path, name)).size > 0)
    .map((name) => `${name} ${hashOf(join(data.path, name))}`);
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

test('init sets a folder up, and once is enough', async () => {
  const data = folder('init');
  const first = await data.json<{ data: string; made: string[] }>('init');
  assert.deepEqual(first, { data: data.path, made: ['config.yaml'] });
  assert.equal(data.read('.gitignore'), '*\n');
  assert.equal(statSync(data.path).mode & 0o777, 0o700);
  for (const status of ['backlog', 'ready', 'in-progress', 'blocked', 'review', 'done', 'cancelled', 'deadletter'])
    assert.ok(data.has('tasks', status), status);
  writeFileSync(join(data.path, 'config.yaml'), 'default_agent: emma\n');
  assert.deepEqual((await data.json<{ made: string[] }>('init')).made, []);
  assert.equal(data.read('config.yaml'), 'default_agent: emma\n');
});

test('a backup brings back what there was, and the files show it', async () => {
  const data = folder('back');
  await data.newTask('First');
  const second = await data.newTask('Second');
  const kept = await data.json<BackupAnswer>('backup', file('back.bak'));
  assert.deepEqual([kept.tasks, kept.events], [2, 2]);
  assert.equal(statSync(file('back.bak')).mode & 0o777, 0o600);
  await data.newTask('Third');
  await data.json('task', 'claim', second.id, '--agent', 'emma');
  const restored = await data.json<RestoreAnswer>('restore', file('back.bak'));
  assert.deepEqual([restored.tasks, restored.events], [2, 2]);
  assert.deepEqual(await titles(data), ['First', 'Second']);
  assert.deepEqual(readdirSync(join(data.path, 'tasks', 'backlog')).length, 2);
  assert.deepEqual(readdirSync(join(data.path, 'tasks', 'in-progress')), []);
  assert.deepEqual((await data.json<StatusAnswer>('status')).incidents, []);
  const before = new DatabaseSync(restored.keptAs ?? '', { readOnly: true });
  assert.equal(before.prepare('SELECT count(*) AS tasks FROM tasks').get()?.tasks, 3);
  before.close();
  assert.ok(statSync(join(restored.treeKeptAs ?? '', 'tasks', 'in-progress', `${second.id}.md`)).isFile());
  assert.equal((await data.newTask('After')).title, 'After');
});

const KILLS: readonly (readonly [point: string, left: readonly string[]])[] = [
  ['restore.kept', ['First', 'Second']],
  ['mirror.intents-recorded', ['First']],
];

for (const [point, left] of KILLS) {
  test(`a restore that is killed at ${point} leaves the old ledger or the new one, and the tree of it`, async () => {
    const data = folder(`killed at ${point}`);
    await data.newTask('First');
    await data.json('backup', file(`${point}.bak`));
    await data.newTask('Second');
    const killed = await data.run(['restore', file(`${point}.bak`)], { environment: { BATON_CRASH: `${point}:1` } });
    assert.equal(killed.status, null);
    assert.deepEqual(await titles(data), left);
    assert.equal(readdirSync(join(data.path, 'tasks', 'backlog')).length, left.length);
    assert.deepEqual((await data.json<StatusAnswer>('status')).incidents, []);
    await data.json('restore', file(`${point}.bak`));
    assert.deepEqual(await titles(data), ['First']);
  });
}

test('a restore into a folder that was never used makes it', async () => {
  const from = folder('move-from');
  await from.newTask('Moved house');
  await from.json('backup', file('move.bak'));
  const to = folder('move-to');
  const restored = await to.json<RestoreAnswer>('restore', file('move.bak'));
  assert.deepEqual([restored.keptAs, restored.treeKeptAs], [null, null]);
  assert.deepEqual(await titles(to), ['Moved house']);
});

test('a backup is not written over another without being told', async () => {
  const data = folder('over');
  await data.newTask('One');
  await data.json('backup', file('over.bak'));
  const bytes = readFileSync(file('over.bak'));
  assert.deepEqual(refusalOf(await data.run(['backup', file('over.bak'), '--json'])), [2, 'file_exists']);
  assert.deepEqual(readFileSync(file('over.bak')), bytes);
  await data.newTask('Two');
  assert.equal((await data.json<BackupAnswer>('backup', file('over.bak'), '--force')).tasks, 2);
  assert.deepEqual(refusalOf(await data.run(['backup', file('no/such/folder.bak'), '--json'])), [2, 'unwritable_file']);
  assert.deepEqual(
    readdirSync(scratch).filter((name) => name.endsWith('.tmp')),
    [],
  );
});

const WRONG_COPIES: readonly (readonly [name: string, code: string, spoil: (path: string) => void])[] = [
  ['cut in the middle', 'damaged_backup', (path) => truncateSync(path, 40_000)],
  ['without its last byte', 'damaged_backup', (path) => truncateSync(path, statSync(path).size - 1)],
  ['with a byte too many', 'damaged_backup', (path) => appendFileSync(path, 'x')],
  ['with one bit changed', 'damaged_backup', (path) => overwrite(path, 30_000, Buffer.from([0xff]))],
  ['that is empty', 'foreign_backup', (path) => truncateSync(path, 0)],
  ['that is a text', 'foreign_backup', (path) => writeFileSync(path, 'dear diary')],
];

function overwrite(path: string, at: number, bytes: Buffer): void {
  const into = openSync(path, 'r+');
  writeSync(into, bytes, 0, bytes.length, at);
  closeSync(into);
}

for (const [name, code, spoil] of WRONG_COPIES) {
  test(`a copy ${name} is refused, and the ledger stays as it is`, async () => {
    const data = folder(`wrong ${name}`);
    await data.newTask('Stays');
    const copy = file(`${name}.bak`);
    await data.json('backup', copy);
    spoil(copy);
    const before = hashes(data);
    const run = await data.run(['restore', copy, '--json']);
    assert.deepEqual(refusalOf(run), [2, code]);
    assert.deepEqual(hashes(data), before);
    assert.deepEqual(await titles(data), ['Stays']);
  });
}

test('a copy of a newer Baton is refused', async () => {
  const data = folder('newer');
  await data.newTask('Stays');
  const ledger = new DatabaseSync(join(data.path, 'ledger.sqlite'));
  ledger.exec('PRAGMA user_version = 99');
  ledger.close();
  const opened = await data.run(['task', 'list', '--json']);
  assert.deepEqual(refusalOf(opened), [2, 'newer_schema']);
});

const DAMAGES: readonly (readonly [name: string, damage: (path: string) => void])[] = [
  ['its header overwritten', (path) => overwrite(path, 0, Buffer.alloc(512, 0xaa))],
  ['its end cut off', (path) => truncateSync(path, 10_000)],
  ['nothing in it', (path) => truncateSync(path, 0)],
  ['a page of zeros in the middle', (path) => overwrite(path, 4096 * 2, Buffer.alloc(4096))],
];

for (const [name, damage] of DAMAGES) {
  test(`a ledger with ${name} is left untouched, and a backup repairs it`, async () => {
    const data = folder(`damage ${name}`);
    await data.newTask('Kept');
    await data.json('backup', file(`damage ${name}.bak`));
    damage(join(data.path, 'ledger.sqlite'));
    const before = hashes(data);
    for (const args of [['task', 'new', 'Lost'], ['task', 'list'], ['status']]) {
      const run = await data.run([...args, '--json']);
      assert.deepEqual(refusalOf(run), [2, 'ledger_damaged'], args.join(' '));
      assert.match(run.stderr, /^error: .*damaged.*\ntry: baton restore FILE/);
    }
    assert.deepEqual(hashes(data), before);
    const restored = await data.json<RestoreAnswer>('restore', file(`damage ${name}.bak`));
    assert.deepEqual(await titles(data), ['Kept']);
    assert.ok(before.includes(`ledger.sqlite ${hashOf(restored.keptAs ?? '')}`), 'the damaged bytes are kept');
  });
}

test('a ledger that is gone is not replaced by an empty one', async () => {
  const data = folder('gone');
  await data.newTask('Kept');
  await data.json('backup', file('gone.bak'));
  rmSync(join(data.path, 'ledger.sqlite'));
  assert.deepEqual(refusalOf(await data.run(['task', 'new', 'x', '--json'])), [2, 'ledger_damaged']);
  assert.ok(!data.has('ledger.sqlite'));
  await data.json('restore', file('gone.bak'));
  assert.deepEqual(await titles(data), ['Kept']);
});

test('a tree that was lost is written anew from the ledger', async () => {
  const data = folder('rebuild');
  const { id } = await data.newTask('Shown');
  await data.json('task', 'claim', id, '--agent', 'emma');
  const before = ['tasks', 'runs', 'events'].map((name) => treeOf(join(data.path, name)));
  for (const name of ['tasks', 'runs', 'events']) rmSync(join(data.path, name), { recursive: true });
  const rebuilt = await data.json<{ tasks: number; failed: number }>('rebuild', '--from', 'ledger');
  assert.deepEqual([rebuilt.tasks, rebuilt.failed], [1, 0]);
  assert.deepEqual(
    ['tasks', 'runs', 'events'].map((name) => treeOf(join(data.path, name))),
    before,
  );
});

function treeOf(path: string): string[] {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
  return names.map((name) => {
    const at = join(path, name);
    // That the files were gone is an incident of its own.
    const text = () => readFileSync(at, 'utf8').replaceAll(/^.*"type":"incident\..*\n/gm, '');
    return statSync(at).isFile() ? `${name}\n${text()}` : name;
  });
}

/** A file system of 1.5 MB for this test alone; null where none can be mounted. */
function smallDisk(): string | null {
  const path = file('small-disk');
  mkdirSync(path);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1500k', 'tmpfs', path]).status === 0;
  return mounted ? path : null;
}

const disk = process.platform === 'linux' && process.getuid?.() === 0 ? smallDisk() : null;

test('on a full disk a change is refused, looking still works, and with room again all goes on', {
  skip: disk === null ? 'a small disk is mounted as root on Linux only' : false,
}, async (context) => {
  context.after(() => spawnSync('umount', [disk ?? '']));
  const data = new DataFolder(join(disk ?? '', 'data'));
  await data.newTask('Before');
  const filler = join(disk ?? '', 'filler');
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k']);
  for (const args of [
    ['task', 'new', 'Lost'],
    ['task', 'claim', '1', '--agent', 'emma'],
  ])
    assert.deepEqual(refusalOf(await data.run([...args, '--json'])), [2, 'storage_full']);
  assert.deepEqual(await titles(data), ['Before']);
  const status = await data.json<StatusAnswer>('status');
  assert.deepEqual(
    status.incidents.map(({ kind }) => kind),
    ['storage_full'],
  );
  truncateSync(filler, statSync(filler).size - 100_000);
  const large = await data.run(['task', 'new', 'Too large', '--body', '-', '--json'], { input: ['x'.repeat(400_000)] });
  assert.deepEqual(refusalOf(large), [2, 'storage_full']);
  rmSync(filler);
  await data.newTask('After');
  assert.deepEqual(await titles(data), ['Before', 'After']);
  assert.deepEqual((await data.json<StatusAnswer>('status')).incidents, []);
});

test('a foreign database under the name of the ledger is left alone', async () => {
  const data = folder('foreign');
  await data.json('init');
  rmSync(join(data.path, 'ledger.sqlite'));
  const other = new DatabaseSync(file('other.sqlite'));
  other.exec('CREATE TABLE diary (entry TEXT)');
  other.close();
  copyFileSync(file('other.sqlite'), join(data.path, 'ledger.sqlite'));
  const before = hashes(data);
  assert.deepEqual(refusalOf(await data.run(['status', '--json'])), [2, 'ledger_unusable']);
  assert.deepEqual(hashes(data), before);
});
