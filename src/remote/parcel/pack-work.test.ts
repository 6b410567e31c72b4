import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MemoryBlobs } from '../../../test/support/remote/memory-blobs.ts';
import { taken } from '../../../test/support/taken.ts';
import { TestRepository, testFolder } from '../../../test/support/test-repository.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { packWork, type WorkToPack } from './pack-work.ts';
import { type Parcel, parcelDigest } from './parcel.ts';
import { unpackWork } from './unpack-work.ts';

const MIB = 1_024 * 1_024;
const atMs = 1_770_000_000_000;

function workOf(repository: TestRepository, blobs: MemoryBlobs, more: Partial<WorkToPack> = {}): WorkToPack {
  const { root, dataFolder } = repository;
  const names = { task: 'TASK-2026-02-09-001', uid: 'tsk_01', round: 1 };
  const bounds = { bytesMax: 64 * MIB, atMs, blobs };
  return { dataFolder, workspaceRoot: root, ...names, inputs: [], include: [], haves: [], ...bounds, ...more };
}

function unpackOf(dataFolder: string, parcel: unknown, blobs: MemoryBlobs, name = 'evt-1') {
  return unpackWork({ dataFolder, parcel, from: 'laptop', name, bytesMax: 64 * MIB, atMs, blobs });
}

/** Names, kinds, rights and bytes of everything in a folder, empty folders too. */
function contentOf(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(folder, below)).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    if (path === '.git') continue;
    const stats = lstatSync(join(folder, path));
    if (stats.isDirectory()) {
      const inner = contentOf(folder, path);
      Object.assign(found, Object.keys(inner).length === 0 ? { [`${path}/`]: 'empty' } : inner);
    } else if (stats.isSymbolicLink()) found[path] = `link ${execFileSync('readlink', ['-n', join(folder, path)])}`;
    else found[path] = `${(stats.mode & 0o777).toString(8)} ${readFileSync(join(folder, path)).toString('base64')}`;
  }
  return found;
}

/** A repository in which everything is a little different. */
function lively(): TestRepository {
  const repository = new TestRepository();
  repository.write('.gitignore', 'ignored/\n.env\n*.log\n');
  repository.write('crlf.txt', 'one\r\ntwo\r\n');
  repository.write('bin', Buffer.from([0, 1, 2, 255, 10, 13]));
  repository.write('tool.sh', '#!/bin/sh\n', 0o755);
  repository.write('deep/er/file', 'x');
  repository.write('gone', 'x');
  repository.write('moved', 'moved\n'.repeat(50));
  repository.write('.gitattributes', '*.txt text=auto\n');
  symlinkSync('tool.sh', join(repository.root, 'link'));
  symlinkSync('/nowhere/at/all', join(repository.root, 'out'));
  repository.commit('all kinds');
  repository.write('readme.md', 'dirty\n');
  repository.write('untracked/a b', 'new\n', 0o600);
  repository.write('staged', 'staged\n');
  repository.git('add', 'staged');
  repository.write('ünï\n"quoted"', 'x');
  rmSync(join(repository.root, 'gone'));
  repository.git('mv', 'moved', 'elsewhere');
  chmodSync(join(repository.root, 'bin'), 0o755);
  repository.write('ignored/big', 'not sent');
  repository.write('x.log', 'not sent');
  repository.write('.env', 'SECRET=1\n', 0o600);
  mkdirSync(join(repository.root, 'empty/inner'), { recursive: true });
  return repository;
}

test('work arrives as it is: dirty, untracked, links, rights, line ends, empty folders; ignored files stay', async () => {
  const repository = lively();
  const before = repository.fingerprint();
  const refs = repository.git('for-each-ref');
  const blobs = new MemoryBlobs();
  const parcel = taken(await packWork(workOf(repository, blobs, { include: ['.env', 'missing'] })));
  assert.deepEqual(repository.fingerprint(), before);
  assert.equal(repository.git('for-each-ref'), refs);
  assert.equal(parcel.kind, 'git');
  assert.equal(parcel.baseCommit, repository.git('rev-parse', 'HEAD'));
  const there = taken(await unpackOf(testFolder(), JSON.parse(JSON.stringify(parcel)), blobs));
  const theirs = contentOf(repository.root);
  for (const path of Object.keys(theirs)) if (/^ignored\/|\.log$/.test(path)) delete theirs[path];
  assert.deepEqual(contentOf(there.workspace), theirs);
  assert.equal(lstatSync(join(there.workspace, '.env')).mode & 0o777, 0o600);
});

test('the git of unpacked work sees the same changes, and has no history, remote, hook or command', async () => {
  const repository = lively();
  repository.git('remote', 'add', 'origin', 'https://example.test/x');
  repository.git('config', 'core.hooksPath', '/tmp/evil');
  repository.git('config', 'filter.x.clean', 'touch /tmp/evil');
  const blobs = new MemoryBlobs();
  const parcel = taken(await packWork(workOf(repository, blobs)));
  const { workspace } = taken(await unpackOf(testFolder(), parcel, blobs));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace, encoding: 'utf8' }).trim();
  assert.equal(git('rev-parse', 'HEAD'), repository.git('rev-parse', 'HEAD'));
  assert.equal(git('log', '--format=%H'), repository.git('rev-parse', 'HEAD'));
  const statusOf = (text: string) =>
    text
      .split('\0')
      .map((line) => line.slice(3))
      .sort();
  repository.git('reset', '-q');
  const theirs = execFileSync('git', ['status', '--porcelain', '-z', '-uall'], {
    cwd: repository.root,
    encoding: 'utf8',
  });
  const ours = execFileSync('git', ['status', '--porcelain', '-z', '-uall'], { cwd: workspace, encoding: 'utf8' });
  assert.deepEqual(statusOf(ours), statusOf(theirs));
  assert.equal(git('remote'), '');
  assert.doesNotMatch(readFileSync(join(workspace, '.git/config'), 'utf8'), /evil|remote|filter/);
  assert.deepEqual(readdirSync(join(workspace, '.git/hooks')), []);
  assert.equal(git('fsck', '--no-dangling'), '');
  assert.equal(git('config', 'user.email'), 'test@example');
});

test('the same work is the same parcel, also when the files have changed and the repository was packed anew', async () => {
  const repository = lively();
  const blobs = new MemoryBlobs();
  const first = taken(await packWork(workOf(repository, blobs)));
  repository.write('readme.md', 'changed since');
  repository.commit('more');
  repository.git('gc', '-q', '--aggressive');
  const puts = blobs.puts;
  assert.deepEqual(taken(await packWork(workOf(repository, blobs, { atMs: atMs + 99_999 }))), first);
  assert.equal(blobs.puts, puts);
  const other = taken(await packWork(workOf(repository, blobs, { task: 'TASK-2026-02-09-002', uid: 'tsk_02' })));
  assert.notEqual(parcelDigest(other), parcelDigest(first));
});

test('a later parcel of a repository has only what the other side lacks', async () => {
  const repository = new TestRepository();
  repository.write('large', randomBytes(9 * MIB));
  repository.commit('large');
  const [blobs, data] = [new MemoryBlobs(), testFolder()];
  const first = taken(await packWork(workOf(repository, blobs)));
  assert.ok(first.bytes > 9 * MIB && first.blobs.length === 3);
  assert.ok(first.blobs.every(({ bytes }) => bytes <= 4 * MIB));
  const { has } = taken(await unpackOf(data, first, blobs));
  repository.write('small', 'a little\n');
  repository.write('large-too', 'untracked\n');
  const later = { task: 'TASK-2026-02-09-002', uid: 'tsk_02', haves: [...has, 'f'.repeat(40)] };
  const second = taken(await packWork(workOf(repository, blobs, later)));
  assert.ok(second.bytes < 10_000, `${second.bytes}`);
  assert.deepEqual(second.needs, has);
  const { workspace } = taken(await unpackOf(data, second, blobs, 'evt-2'));
  assert.deepEqual(contentOf(workspace), contentOf(repository.root));
  const elsewhere = await unpackOf(testFolder(), second, blobs);
  assert.ok(
    isRefusal(elsewhere) && elsewhere.code === 'parcel_base_missing' && elsewhere.retryable,
    JSON.stringify(elsewhere),
  );
});

test('work of a folder below the root, and of a repository without a commit, arrives too', async () => {
  const repository = new TestRepository();
  repository.write('packages/a/index.js', 'a');
  const blobs = new MemoryBlobs();
  const workspaceRoot = join(repository.root, 'packages/a');
  const parcel = taken(await packWork(workOf(repository, blobs, { workspaceRoot })));
  const there = taken(await unpackOf(testFolder(), parcel, blobs));
  assert.equal(readFileSync(join(there.workspace, 'index.js'), 'utf8'), 'a');
  assert.ok(there.workspace.endsWith('/packages/a') && there.workspace.startsWith(there.parcel.root));
  const empty = new TestRepository({ isEmpty: true });
  empty.write('new', 'x');
  const first = taken(await packWork(workOf(empty, blobs)));
  assert.equal(first.baseCommit, null);
  assert.deepEqual(contentOf(taken(await unpackOf(testFolder(), first, blobs)).workspace), contentOf(empty.root));
});

test('a repository with names of 32 bytes travels as well', async () => {
  const repository = new TestRepository({ objectFormat: 'sha256' });
  repository.write('dirty', 'x');
  const blobs = new MemoryBlobs();
  const parcel = taken(await packWork(workOf(repository, blobs)));
  assert.equal(parcel.objectFormat, 'sha256');
  const { workspace } = taken(await unpackOf(testFolder(), parcel, blobs));
  assert.deepEqual(contentOf(workspace), contentOf(repository.root));
});

test('without git the named inputs travel, and nothing beside them', async () => {
  const [folder, dataFolder] = [testFolder(), testFolder()];
  for (const [name, text] of Object.entries({
    'a.txt': '1',
    'b.txt': '2',
    'dir/c [x].txt': '3',
    'dir/d': '4',
    'other/e': '5',
  })) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const blobs = new MemoryBlobs();
  const work = { ...workOf(new TestRepository(), blobs), dataFolder, workspaceRoot: folder };
  const inputs = ['a.txt', join(folder, 'dir/c [x].txt'), 'other', 'not there'];
  const parcel = taken(await packWork({ ...work, inputs }));
  assert.equal(parcel.kind, 'files');
  assert.equal(parcel.baseCommit, null);
  const { workspace } = taken(await unpackOf(testFolder(), parcel, blobs));
  assert.deepEqual(Object.keys(contentOf(workspace)), ['a.txt', 'dir/c [x].txt', 'other/e']);
  assert.ok(existsSync(join(workspace, '.git')));
  assert.ok(!existsSync(join(folder, '.git')));
  const outside = await packWork({ ...work, task: 'TASK-2026-02-09-009', inputs: ['/etc/passwd'] });
  assert.ok(isRefusal(outside) && /outside/.test(outside.message));
});

test('work that is too large is refused, and the refusal names the largest files', async () => {
  const repository = new TestRepository();
  repository.write('a/huge.bin', randomBytes(3 * MIB));
  repository.write('small', 'x');
  const blobs = new MemoryBlobs();
  const refused = await packWork(workOf(repository, blobs, { bytesMax: 2 * MIB }));
  assert.ok(isRefusal(refused) && refused.code === 'work_too_large');
  assert.match(refused.details?.[0] ?? '', /^a\/huge\.bin \(3 MiB\)$/);
  assert.equal(blobs.puts, 0);
  const parcel = taken(await packWork(workOf(repository, blobs)));
  const theirs = await unpackWork({
    ...{ dataFolder: testFolder(), parcel, from: 'laptop', name: 'evt', bytesMax: 2 * MIB, atMs, blobs },
  });
  assert.ok(isRefusal(theirs) && theirs.code === 'work_too_large', JSON.stringify(theirs));
});

test('a transfer that broke on either side goes on with what is missing', async () => {
  const repository = new TestRepository();
  repository.write('large', randomBytes(17 * MIB));
  const blobs = new MemoryBlobs();
  blobs.failsAfterPuts = 2;
  await assert.rejects(packWork(workOf(repository, blobs)), /connection broke/);
  blobs.failsAfterPuts = Number.POSITIVE_INFINITY;
  const parcel: Parcel = taken(await packWork(workOf(repository, blobs)));
  assert.equal(blobs.puts, parcel.blobs.length);
  const data = testFolder();
  const [, , third] = parcel.blobs;
  const lost = blobs.stored.get(third?.sha256 ?? '') as Uint8Array;
  blobs.stored.delete(third?.sha256 ?? '');
  const waiting = await unpackOf(data, parcel, blobs);
  assert.ok(isRefusal(waiting) && waiting.code === 'parcel_incomplete');
  assert.deepEqual(waiting.details, [third?.sha256]);
  blobs.stored.set(third?.sha256 ?? '', lost);
  blobs.gets = 0;
  const { workspace } = taken(await unpackOf(data, parcel, blobs));
  assert.equal(blobs.gets, 1);
  assert.deepEqual(contentOf(workspace), contentOf(repository.root));
  blobs.stored.clear();
  assert.equal(taken(await unpackOf(data, parcel, blobs)).workspace, workspace);
  assert.deepEqual(readdirSync(join(data, 'travel/incoming')), []);
});
