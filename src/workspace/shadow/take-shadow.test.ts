import assert from 'node:assert/strict';
import { chmodSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../../test/support/test-repository.ts';
import { changedFiles } from '../diff-shadows.ts';
import { namedCommit } from './object-store.ts';
import { storeOf } from './private-repository.ts';
import { shadowRef, takeShadow } from './take-shadow.ts';

const before = { task: 'TASK-2026-02-09-001', label: '1/before', atMs: 1_770_000_000_000 };
const after = (basis: string) => ({ ...before, label: '1/after', basis });

test('where nothing changed the shadow is HEAD', async () => {
  const repository = new TestRepository();
  const shadow = await takeShadow(repository.place, before);
  assert.equal(shadow.commit, repository.git('rev-parse', 'HEAD'));
  assert.equal(await shadow.gitHash(), shadow.commit);
  assert.equal(namedCommit(storeOf(repository.place), shadow.ref), shadow.commit);
});

test('a shadow holds every file that is not ignored, whatever its name, mode or bytes', async () => {
  const repository = new TestRepository();
  const names = ['with "quotes"', 'with\nnewline', 'ünï ✓', '-dash', 'tab\there', 'back\\slash', ':colon', '*'];
  for (const name of names) repository.write(`folder/${name}`, `${name}\0\r\n`);
  repository.write('run.sh', '#!/bin/sh\n', 0o755);
  repository.write('crlf.txt', 'a\r\nb\r\n');
  symlinkSync('/nowhere', join(repository.root, 'link'));
  writeFileSync(Buffer.concat([Buffer.from(`${repository.root}/`), Buffer.from([0xff, 0xfe])]), 'not text');
  repository.write('.gitignore', 'ignored\n');
  repository.write('ignored', 'secret');
  const shadow = await takeShadow(repository.place, before);
  const listed = repository
    .gitWithShadows('-c', 'core.quotePath=false', 'ls-tree', '-r', '-z', shadow.commit)
    .split('\0');
  assert.equal(listed.filter(Boolean).length, names.length + 6);
  for (const name of names) {
    assert.equal(repository.gitWithShadows('cat-file', 'blob', `${shadow.commit}:folder/${name}`), `${name}\0`);
  }
  assert.match(listed.find((line) => line.endsWith('run.sh')) ?? '', /^100755 /);
  assert.match(listed.find((line) => line.endsWith('\tlink')) ?? '', /^120000 /);
  assert.equal(repository.gitWithShadows('rev-parse', `${shadow.commit}^`), repository.git('rev-parse', 'HEAD'));
});

test('branch, index, stash list, logs and files are the same bytes after a shadow', async () => {
  const repository = new TestRepository();
  repository.write('stashed', 'x');
  repository.git('stash', '-u');
  repository.write('staged', 'x');
  repository.git('add', 'staged');
  repository.write('staged', 'y');
  repository.write('untracked', 'z');
  repository.git('config', 'core.logAllRefUpdates', 'always');
  const theirs = repository.fingerprint();
  const first = await takeShadow(repository.place, before);
  repository.write('untracked', 'changed');
  await takeShadow(repository.place, after(first.commit));
  repository.write('untracked', 'z');
  assert.deepEqual(repository.fingerprint(), theirs);
});

test('a running merge, a detached HEAD and a repository without commits are recorded as they are', async () => {
  const merging = new TestRepository();
  merging.git('checkout', '-q', '-b', 'other');
  merging.write('readme.md', 'other\n');
  merging.commit('other');
  merging.git('checkout', '-q', 'main');
  merging.write('readme.md', 'main\n');
  merging.commit('main');
  assert.throws(() => merging.git('merge', 'other'));
  const theirs = merging.fingerprint();
  const merged = await takeShadow(merging.place, before);
  assert.match(
    merging.gitWithShadows('cat-file', 'blob', `${merged.commit}:readme.md`),
    /^<<<<<<< .*\n[\s\S]*>>>>>>> /,
  );
  assert.deepEqual(merging.fingerprint(), theirs);

  const detached = new TestRepository();
  detached.git('checkout', '-q', '--detach');
  assert.equal((await takeShadow(detached.place, before)).commit, detached.git('rev-parse', 'HEAD'));

  const empty = new TestRepository({ isEmpty: true });
  const nothing = await takeShadow(empty.place, before);
  assert.equal(nothing.head, null);
  empty.write('first', '1');
  const something = await takeShadow(empty.place, after(nothing.commit));
  const changed = await changedFiles(empty.place, { before: nothing.commit, after: something.commit });
  assert.deepEqual(
    changed.map(({ path, status }) => [path, status]),
    [['first', 'added']],
  );
});

test('a file that was changed without a change of size or time is seen', async () => {
  const repository = new TestRepository();
  repository.write('same', 'aaaa');
  utimesSync(join(repository.root, 'same'), 1_000_000_000, 1_000_000_000);
  const first = await takeShadow(repository.place, before);
  repository.write('same', 'bbbb');
  utimesSync(join(repository.root, 'same'), 1_000_000_000, 1_000_000_000);
  const second = await takeShadow(repository.place, after(first.commit));
  assert.notEqual(second.tree, first.tree);
});

test('a file becomes a folder, a folder a file, a file a link, and each is told', async () => {
  const repository = new TestRepository();
  repository.write('file', '1');
  repository.write('folder/in', '2');
  repository.write('turned', '3');
  repository.write('script', '4');
  const first = await takeShadow(repository.place, before);
  rmSync(join(repository.root, 'file'));
  repository.write('file/in', '1');
  rmSync(join(repository.root, 'folder'), { recursive: true });
  repository.write('folder', '2');
  rmSync(join(repository.root, 'turned'));
  symlinkSync('readme.md', join(repository.root, 'turned'));
  chmodSync(join(repository.root, 'script'), 0o755);
  const second = await takeShadow(repository.place, after(first.commit));
  const changed = await changedFiles(repository.place, { before: first.commit, after: second.commit });
  assert.deepEqual(
    changed.map(({ path, status }) => `${status} ${path}`),
    ['deleted file', 'added file/in', 'added folder', 'deleted folder/in', 'modified script', 'type-changed turned'],
  );
});

test('submodules and nested repositories are not entered, and no command of theirs is run', async () => {
  const repository = new TestRepository();
  const inner = new TestRepository();
  repository.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner.root, 'sub');
  repository.commit('sub');
  const trap = join(repository.dataFolder, 'trap');
  repository.git('-C', 'sub', 'config', 'core.fsmonitor', `touch "${trap}"; false`);
  repository.write('sub/new', 'x');
  repository.git('init', '-q', 'nested');
  repository.write('nested/file', 'x');
  const shadow = await takeShadow(repository.place, before);
  assert.equal(shadow.commit, repository.git('rev-parse', 'HEAD'));
  assert.throws(() => rmSync(trap));
});

test('what the configuration of a repository names as a command is not run', async () => {
  const repository = new TestRepository();
  const trap = join(repository.dataFolder, 'trap');
  const command = `touch "${trap}"; cat`;
  repository.write('.gitattributes', '* filter=evil diff=evil merge=evil\n');
  repository.write('.git/hooks/reference-transaction', `#!/bin/sh\ntouch "${trap}"\n`, 0o755);
  repository.write('.git/hooks/post-index-change', `#!/bin/sh\ntouch "${trap}"\n`, 0o755);
  for (const [name, value] of [
    ['filter.evil.clean', command],
    ['filter.evil.smudge', command],
    ['filter.evil.required', 'true'],
    ['diff.evil.textconv', command],
    ['diff.evil.command', command],
    ['merge.evil.driver', command],
    ['core.fsmonitor', command],
    ['core.worktree', '/etc'],
    ['core.pager', command],
    ['gpg.program', command],
    ['commit.gpgSign', 'true'],
  ]) {
    repository.git('config', name as string, value as string);
  }
  repository.write('readme.md', 'changed\n');
  const first = await takeShadow(repository.place, before);
  repository.write('readme.md', 'changed again\n');
  const second = await takeShadow(repository.place, after(first.commit));
  await changedFiles(repository.place, { before: first.commit, after: second.commit });
  assert.notEqual(first.tree, second.tree);
  assert.throws(() => rmSync(trap));
});

test('line ends that git turns are recorded byte for byte, and are no change to SAOP', async () => {
  const repository = new TestRepository();
  repository.write('.gitattributes', '*.txt text eol=crlf\n');
  repository.write('a.txt', 'one\r\ntwo\r\n');
  const head = repository.commit('crlf');
  const shadow = await takeShadow(repository.place, before);
  assert.equal(await shadow.gitHash(), head);
  assert.equal(repository.gitWithShadows('cat-file', '-s', `${shadow.commit}:a.txt`), '10');
});

test('a file that becomes ignored during a run is not told as deleted, and one that was tracked though ignored counts', async () => {
  const repository = new TestRepository();
  repository.write('.gitignore', 'tracked\n');
  repository.write('tracked', '1');
  repository.git('add', '-f', 'tracked');
  repository.commit('tracked');
  repository.write('note', '1');
  const first = await takeShadow(repository.place, before);
  repository.write('.gitignore', 'tracked\nnote\n');
  repository.write('tracked', '2');
  const second = await takeShadow(repository.place, after(first.commit));
  const changed = await changedFiles(repository.place, { before: first.commit, after: second.commit });
  assert.deepEqual(
    changed.map(({ path }) => path),
    ['.gitignore', 'tracked'],
  );
  const third = await takeShadow(repository.place, before);
  assert.throws(() => repository.gitWithShadows('cat-file', '-e', `${third.commit}:note`));
});

test('files that a sparse checkout leaves out are not told as deleted', async () => {
  const repository = new TestRepository();
  repository.write('in/a', '1');
  repository.write('out/b', '1');
  const head = repository.commit('both');
  repository.git('sparse-checkout', 'set', 'in');
  assert.equal((await takeShadow(repository.place, before)).commit, head);
});

test('a repository that names objects by SHA-256 has shadows too', async () => {
  const repository = new TestRepository({ objectFormat: 'sha256' });
  repository.write('new', '1');
  assert.equal((await takeShadow(repository.place, before)).commit.length, 64);
});

test("a shadow writes nothing to the repository, and the user's own pruning takes nothing from it", async () => {
  const repository = new TestRepository();
  repository.write('old', 'only in a commit that the user drops\n');
  const dropped = repository.commit('dropped');
  repository.write('new', '1');
  const counted = () => [repository.git('count-objects', '-v'), repository.git('for-each-ref')];
  const theirs = counted();
  const shadow = await takeShadow(repository.place, before);
  assert.deepEqual(counted(), theirs);
  repository.git('reset', '-q', '--hard', 'HEAD^');
  repository.git('reflog', 'expire', '--expire=now', '--all');
  repository.git('gc', '-q', '--prune=now');
  assert.throws(() => repository.git('cat-file', '-e', dropped));
  assert.equal(
    repository.gitWithShadows('cat-file', 'blob', `${shadow.commit}:old`),
    'only in a commit that the user drops',
  );
  const again = await takeShadow(repository.place, after(shadow.commit));
  const changed = await changedFiles(repository.place, { before: shadow.commit, after: again.commit });
  assert.deepEqual(
    changed.map(({ path, status }) => `${status} ${path}`),
    ['deleted old'],
  );
});

test('an index whose objects are gone from the store is read anew', async () => {
  const repository = new TestRepository();
  for (let number = 0; number < 300; number++) repository.write(`many/${number}`, `${number}`);
  repository.write('new', '1');
  await takeShadow(repository.place, before);
  rmSync(storeOf(repository.place).folder, { recursive: true });
  const second = await takeShadow(repository.place, before);
  assert.equal(repository.gitWithShadows('cat-file', 'blob', `${second.commit}:new`), '1');
});

test('a data folder in the root and .aop_snapshots are never recorded', async () => {
  const repository = new TestRepository();
  const dataFolder = join(repository.root, 'own [data]');
  repository.write('own [data]/ledger.sqlite', 'x');
  repository.write('.aop_snapshots/a.before', 'x');
  const place = { ...repository.place, dataFolder, keptFolder: join(dataFolder, 'workspaces') };
  assert.equal((await takeShadow(place, before)).commit, repository.git('rev-parse', 'HEAD'));
});

test('two shadows of one root at once wait for each other', async () => {
  const repository = new TestRepository();
  repository.write('new', '1');
  const orders = [1, 2, 3, 4].map((number) => ({ ...before, label: `${number}/before` }));
  const shadows = await Promise.all(orders.map((order) => takeShadow(repository.place, order)));
  assert.equal(new Set(shadows.map(({ tree }) => tree)).size, 1);
});

test('a name that is no part of a ref is refused', () => {
  for (const task of ['..', 'a/../b', '', '-a', 'a b', 'a.lock', 'x'.repeat(129), 'a\0']) {
    assert.throws(() => shadowRef(task, '1/before'), TypeError);
  }
});
