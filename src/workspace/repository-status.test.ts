import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestClock } from '../../test/support/test-clock.ts';
import { TestRepository, testFolder } from '../../test/support/test-repository.ts';
import { EarlyLook, readRepositoryStatus } from './repository-status.ts';

async function look(folder: string) {
  const found = await readRepositoryStatus(folder);
  assert.equal(found.kind, 'repository');
  return found;
}

test('a folder of a repository tells its root, commit, branch and what is not committed', async () => {
  const repository = new TestRepository();
  repository.write('staged', '1');
  repository.git('add', 'staged');
  repository.write('readme.md', 'changed');
  repository.write('folder/new', '1');
  repository.write('folder/newer', '1');
  const theirs = repository.fingerprint();
  const { root, head, branch, dirty, isDirty, operation } = await look(join(repository.root, 'folder'));
  assert.deepEqual([root, head, branch], [repository.root, repository.git('rev-parse', 'HEAD'), 'main']);
  assert.deepEqual(dirty, { staged: 1, modified: 1, untracked: 2, conflicted: 0 });
  assert.deepEqual([isDirty, operation], [true, null]);
  assert.deepEqual(repository.fingerprint(), theirs);
});

test('a repository without commits, a detached HEAD and a running merge are told', async () => {
  const empty = new TestRepository({ isEmpty: true });
  const nothing = await look(empty.root);
  assert.deepEqual([nothing.head, nothing.branch, nothing.isDirty], [null, 'main', false]);

  const repository = new TestRepository();
  repository.git('checkout', '-q', '--detach');
  assert.equal((await look(repository.root)).branch, null);
  repository.git('checkout', '-q', '-b', 'other');
  repository.write('readme.md', 'other');
  repository.commit('other');
  repository.git('checkout', '-q', 'main');
  repository.write('readme.md', 'main');
  repository.commit('main');
  assert.throws(() => repository.git('merge', 'other'));
  const merging = await look(repository.root);
  assert.deepEqual([merging.operation, merging.dirty.conflicted], ['merge', 1]);
});

test('a linked worktree is a root of its own with the objects of its repository', async () => {
  const repository = new TestRepository();
  const worktree = join(repository.root, 'inner worktree');
  repository.git('worktree', 'add', '-q', '-b', 'side', worktree);
  const found = await look(worktree);
  assert.deepEqual([found.root, found.branch], [worktree, 'side']);
  assert.equal(found.commonDir, join(repository.root, '.git'));
});

test('a folder without a repository, a broken .git and a path that is not there are none', async () => {
  const folder = testFolder();
  assert.deepEqual(await readRepositoryStatus(folder), { kind: 'none' });
  mkdirSync(join(folder, '.git'));
  assert.deepEqual(await readRepositoryStatus(folder), { kind: 'none' });
  rmSync(join(folder, '.git'), { recursive: true });
  writeFileSync(join(folder, '.git'), 'gitdir: /nowhere\n');
  assert.deepEqual(await readRepositoryStatus(folder), { kind: 'none' });
  assert.deepEqual(await readRepositoryStatus(join(folder, 'missing')), { kind: 'none' });
});

test('no filter that the repository names is run to count its files', async () => {
  const repository = new TestRepository();
  const trap = join(repository.root, 'trap');
  repository.write('.gitattributes', '* filter=evil\n');
  repository.git('config', 'filter.evil.clean', `touch "${trap}"; cat`);
  repository.git('config', 'filter.evil.process', `touch "${trap}"`);
  repository.git('config', 'filter.evil.required', 'true');
  repository.write('readme.md', 'ONE\ntwo\nthree\n');
  assert.equal((await look(repository.root)).dirty.modified, 1);
  assert.throws(() => rmSync(trap));
});

test('a look that began early is for one plan of its folder, made meanwhile or right after', async () => {
  const repository = new TestRepository();
  const clock = new TestClock();
  const look = new EarlyLook(repository.root, clock);
  clock.step(5_000);
  assert.equal(look.take(testFolder()), null);
  const status = await look.take(repository.root);
  assert.equal(status?.kind === 'repository' && status.isDirty, false);
  assert.equal(look.take(repository.root), null);
});

test('a look that is over counts for a second', async () => {
  const repository = new TestRepository();
  const clock = new TestClock();
  const status = readRepositoryStatus(repository.root);
  const [early, late] = [1, 2].map(() => new EarlyLook(repository.root, clock, () => status));
  await status;
  clock.step(999);
  assert.notEqual(early?.take(repository.root), null);
  clock.step(1);
  assert.equal(late?.take(repository.root), null);
});
