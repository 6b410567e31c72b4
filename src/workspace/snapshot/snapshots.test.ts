import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository, testFolder } from '../../../test/support/test-repository.ts';
import type { KeptFile } from '../../domain/execution/findings.ts';
import type { SnapshotStrategy } from '../../domain/order/order.ts';
import { isRefusal } from '../../domain/refusal.ts';
import { restoreSnapshots } from './restore-snapshots.ts';
import type { SnapshotHome, WantedSnapshot } from './snapshot-home.ts';
import { takeSnapshots } from './take-snapshots.ts';

function homeOf(repository: TestRepository, more: Partial<SnapshotHome> = {}): SnapshotHome {
  const { root, place, dataFolder } = repository;
  const task = 'TASK-2026-02-09-001';
  const snapshotsFolder = join(dataFolder, 'snapshots', task);
  return { task, workspaceRoot: root, root, snapshotsFolder, place, ...more };
}

function wanted(path: string, strategy: SnapshotStrategy | null = null, snapshotPath: string | null = null) {
  return { path, strategy, snapshotPath };
}

async function take(home: SnapshotHome, all: readonly WantedSnapshot[]): Promise<readonly KeptFile[]> {
  const kept = await takeSnapshots(home, all);
  assert.ok(!isRefusal(kept), JSON.stringify(kept));
  return kept;
}

for (const strategy of [null, 'copy', 'git-stash', 'diff'] as const) {
  test(`${strategy}: every sort of file comes back with bytes and mode, and what was not there goes`, async () => {
    const repository = new TestRepository();
    repository.write('.gitignore', 'ignored\n');
    repository.write('tracked', 'one\r\ntwo\n');
    repository.write('staged', 'first');
    repository.commit('files');
    repository.write('tracked', 'one\r\nchanged, no end');
    repository.write('staged', 'second');
    repository.git('add', 'staged');
    repository.write('binary ü "x"\n', Buffer.from([0, 1, 254, 255]));
    repository.write('ignored', 'mine', 0o600);
    repository.write('run.sh', '#!/bin/sh\n', 0o755);
    repository.write('empty', '');
    const paths = ['tracked', 'staged', 'readme.md', 'binary ü "x"\n', 'ignored', 'run.sh', 'empty', 'new', 'deep/new'];
    const theirs = repository.fingerprint();
    const home = homeOf(repository);
    const kept = await take(
      home,
      paths.map((path) => wanted(path, strategy)),
    );
    assert.deepEqual(repository.fingerprint(), theirs);
    for (const path of paths) {
      rmSync(join(repository.root, path), { force: true });
      repository.write(path, 'by the agent', 0o666);
      chmodSync(join(repository.root, path), 0o777);
    }
    const restored = await restoreSnapshots(home, kept);
    assert.deepEqual(new Set(restored.map(({ status }) => status)), new Set(['restored']));
    assert.deepEqual(
      restored.filter(({ restoredFrom }) => restoredFrom === null).map(({ path }) => path),
      ['new', 'deep/new'],
    );
    assert.deepEqual(repository.fingerprint(), theirs);
    const before = statSync(join(repository.root, 'tracked')).ino;
    assert.deepEqual(await restoreSnapshots(home, kept), restored);
    assert.equal(statSync(join(repository.root, 'tracked')).ino, before);
  });
}

test('a stash is in no list, touches no index, and holds what is tracked', async () => {
  const repository = new TestRepository();
  repository.write('readme.md', 'changed');
  const index = readFileSync(join(repository.root, '.git', 'index'));
  const [kept] = await take(homeOf(repository), [wanted('readme.md', 'git-stash')]);
  assert.match(kept?.keptAs ?? '', /^stash:[0-9a-f]{40}$/);
  assert.deepEqual(readFileSync(join(repository.root, '.git', 'index')), index);
  assert.equal(repository.git('stash', 'list'), '');
  assert.equal(existsSync(join(repository.root, '.git', 'refs', 'stash')), false);
});

test('outside of git, and in a repository without commits, every strategy copies', async () => {
  const empty = new TestRepository({ isEmpty: true });
  for (const place of [null, empty.place]) {
    for (const strategy of ['git-stash', 'diff'] as const) {
      const home = homeOf(empty, { place });
      empty.write('file', 'mine');
      const kept = await take(home, [wanted('file', strategy)]);
      empty.write('file', 'agent');
      assert.deepEqual((await restoreSnapshots(home, kept))[0]?.status, 'restored');
      assert.equal(empty.read('file'), 'mine');
    }
  }
});

test('NONE keeps nothing', async () => {
  assert.deepEqual(await take(homeOf(new TestRepository()), [wanted('readme.md', 'none')]), []);
});

test('a link is kept as a link, and a folder with all that is in it', async () => {
  const repository = new TestRepository();
  const { root } = repository;
  symlinkSync('readme.md', join(root, 'link'));
  repository.write('folder/a', '1');
  repository.write('folder/deep/b', '2', 0o755);
  chmodSync(join(root, 'folder/deep'), 0o2750);
  const home = homeOf(repository);
  const theirs = repository.files();
  const kept = await take(home, [wanted('link'), wanted('folder'), wanted('made')]);
  rmSync(join(root, 'link'));
  repository.write('link', 'a file');
  rmSync(join(root, 'folder', 'a'));
  repository.write('folder/deep/b', 'changed');
  repository.write('folder/new/c', '3');
  repository.write('made/d', '4');
  await restoreSnapshots(home, kept);
  assert.deepEqual(repository.files(), theirs);
  assert.equal(statSync(join(root, 'folder/deep')).mode & 0o7777, 0o2750);
  assert.equal(readlinkSync(join(root, 'link')), 'readme.md');
});

test('a copy is put where the order wants it, and one that its agent changed is not what comes back', async () => {
  const repository = new TestRepository();
  const home = homeOf(repository);
  const snapshotPath = join(repository.root, '.aop_snapshots', 'deep', 'readme.before');
  const kept = await take(home, [wanted('readme.md', 'copy', snapshotPath)]);
  assert.equal(kept[0]?.keptAs, snapshotPath);
  assert.equal(readFileSync(snapshotPath, 'utf8'), 'one\ntwo\nthree\n');
  writeFileSync(snapshotPath, 'forged');
  repository.write('readme.md', 'agent');
  assert.deepEqual(await restoreSnapshots(home, kept), [
    { path: 'readme.md', restoredFrom: snapshotPath, status: 'restored' },
  ]);
  assert.equal(repository.read('readme.md'), 'one\ntwo\nthree\n');
});

test('a place for a copy outside of .aop_snapshots is refused, and nothing is written', async () => {
  const repository = new TestRepository();
  const outside = testFolder();
  const { root } = repository;
  const theirs = repository.fingerprint();
  for (const path of [
    '.aop_snapshots',
    '.aop_snapshots/..',
    '.aop_snapshots/../readme.md',
    '.aop_snapshots-evil/x',
    '.git/hooks/pre-commit',
    'readme.md',
    join(outside, 'x'),
    'C:/ws/.aop_snapshots/x',
    '.aop_snapshots/a\0b',
  ]) {
    const refused = await takeSnapshots(homeOf(repository), [wanted('readme.md', 'copy', path)]);
    assert.ok(isRefusal(refused), path);
    assert.equal(refused.code, 'E_PERMISSION_DENIED');
  }
  assert.deepEqual(repository.fingerprint(), theirs);
  symlinkSync(outside, join(root, '.aop_snapshots'));
  const refused = await takeSnapshots(homeOf(repository), [wanted('readme.md', 'copy', '.aop_snapshots/x')]);
  assert.ok(isRefusal(refused));
  assert.deepEqual(readdirSync(outside), []);
});

test('a folder that was swapped for a link is not followed: that file fails, the others come back', async () => {
  const repository = new TestRepository();
  const outside = testFolder();
  writeFileSync(join(outside, 'file'), 'theirs');
  repository.write('folder/file', 'mine');
  const home = homeOf(repository);
  const kept = await take(home, [wanted('folder/file'), wanted('folder/not-there'), wanted('readme.md')]);
  renameSync(join(repository.root, 'folder'), join(repository.root, 'moved'));
  symlinkSync(outside, join(repository.root, 'folder'));
  repository.write('readme.md', 'agent');
  writeFileSync(join(outside, 'not-there'), 'theirs too');
  const restored = await restoreSnapshots(home, kept);
  assert.deepEqual(
    restored.map(({ status }) => status),
    ['failed', 'restored', 'restored'],
  );
  assert.deepEqual(readdirSync(outside).sort(), ['file', 'not-there']);
  assert.equal(readFileSync(join(outside, 'file'), 'utf8'), 'theirs');
  assert.equal(repository.read('readme.md'), 'one\ntwo\nthree\n');
});

test('a file that became a folder, a link or a pipe comes back as the file it was', async () => {
  const repository = new TestRepository();
  const home = homeOf(repository);
  for (const path of ['a', 'b', 'c']) repository.write(path, path);
  const theirs = repository.files();
  const kept = await take(
    home,
    ['a', 'b', 'c'].map((path) => wanted(path)),
  );
  for (const path of ['a', 'b', 'c']) rmSync(join(repository.root, path));
  repository.write('a/inner', 'x');
  symlinkSync('/etc/passwd', join(repository.root, 'b'));
  symlinkSync('nowhere', join(repository.root, 'c'));
  await restoreSnapshots(home, kept);
  assert.deepEqual(repository.files(), theirs);
});

test('a snapshot that is gone fails its file, and what cannot be kept is a fault before any work', async () => {
  const repository = new TestRepository();
  const home = homeOf(repository);
  const kept = await take(home, [wanted('readme.md')]);
  rmSync(home.snapshotsFolder, { recursive: true });
  assert.equal((await restoreSnapshots(home, kept))[0]?.status, 'failed');
  assert.equal(repository.read('readme.md'), 'one\ntwo\nthree\n');
  repository.write('huge', '');
  truncateSync(join(repository.root, 'huge'), 100 * 1024 ** 3);
  await assert.rejects(takeSnapshots(home, [wanted('huge')]), /too large/);
});

test('in a worktree the files of the worktree are kept, by the paths that the order knows', async () => {
  const repository = new TestRepository();
  const root = testFolder();
  writeFileSync(join(root, 'readme.md'), 'in the worktree');
  const home = homeOf(repository, { root });
  const kept = await take(home, [wanted(join(repository.root, 'readme.md'), null, '.aop_snapshots/x')]);
  writeFileSync(join(root, 'readme.md'), 'agent');
  await restoreSnapshots(home, kept);
  assert.equal(readFileSync(join(root, 'readme.md'), 'utf8'), 'in the worktree');
  assert.ok(lstatSync(join(root, '.aop_snapshots', 'x')).isFile());
  assert.equal(repository.read('readme.md'), 'one\ntwo\nthree\n');
});

test('folders that came with a file go with it, but none that was there, and none with something else in it', async () => {
  const repository = new TestRepository();
  repository.write('there/kept.txt', 'x');
  const home = homeOf(repository);
  const paths = ['there/new/deep/a', 'there/b', 'other/one/c', 'gone/d'];
  const kept = await take(
    home,
    paths.map((path) => wanted(path)),
  );
  for (const path of paths) repository.write(path, 'made');
  repository.write('other/mine', 'a note');
  rmSync(join(repository.root, 'gone/d'));
  const restored = await restoreSnapshots(home, kept);
  assert.ok(restored.every(({ status }) => status === 'restored'));
  assert.deepEqual(readdirSync(repository.root).sort(), ['.git', 'other', 'readme.md', 'there']);
  assert.deepEqual(readdirSync(join(repository.root, 'there')), ['kept.txt']);
  assert.deepEqual(readdirSync(join(repository.root, 'other')), ['mine']);
});

test('of an output that is a link, what it leads to in the workspace comes back too', async () => {
  const repository = new TestRepository();
  const outside = join(testFolder(), 'theirs');
  writeFileSync(outside, 'theirs');
  repository.write('real', 'mine');
  const at = (name: string) => join(repository.root, name);
  symlinkSync('real', at('link'));
  symlinkSync('link', at('link of a link'));
  symlinkSync(outside, at('out'));
  symlinkSync('nowhere', at('dangling'));
  const home = homeOf(repository);
  const paths = ['link', 'link of a link', 'out', 'dangling'];
  const kept = await take(
    home,
    paths.map((path) => wanted(path)),
  );
  for (const path of paths.slice(0, 3)) writeFileSync(at(path), 'changed');
  rmSync(at('link'));
  const restored = await restoreSnapshots(home, kept);
  assert.deepEqual(
    restored.map(({ path, status }) => `${path} ${status}`),
    [...paths, at('real')].map((path) => `${path} restored`),
  );
  assert.deepEqual([repository.read('link'), readlinkSync(at('link'))], ['mine', 'real']);
  assert.equal(readFileSync(outside, 'utf8'), 'changed');
});
