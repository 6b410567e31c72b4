import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository, testFolder } from '../../../test/support/test-repository.ts';
import { applyRun } from '../merge/apply-run.ts';
import { takeShadow } from '../shadow/take-shadow.ts';
import { undoRun } from '../undo/undo-run.ts';
import { removeWorktree } from '../worktree/remove-worktree.ts';
import { releasePipes } from './release-pipes.ts';

const task = 'TASK-2026-02-09-001';
const atMs = 1_770_000_000_000;

/** A folder outside of the workspace with files under the same names. */
function outsideLike(names: readonly string[]): string {
  const outside = testFolder();
  for (const name of names) {
    mkdirSync(join(outside, name, '..'), { recursive: true });
    writeFileSync(join(outside, name), 'theirs');
  }
  return outside;
}

for (const level of ['a', 'a/b', 'a/b/c'])
  test(`undo and apply follow no link at ${level}, whether it came with the run or after it`, async () => {
    for (const isLate of [false, true]) {
      const repository = new TestRepository();
      const { root, place } = repository;
      repository.write('a/b/c/file', 'mine\n');
      repository.write('a/b/c/gone', 'mine\n');
      repository.commit('files');
      const below =
        level === 'a' ? ['b/c/file', 'b/c/gone', 'b/c/new'] : level === 'a/b' ? ['c/file', 'c/new'] : ['file', 'new'];
      const outside = outsideLike(below);
      const before = await takeShadow(place, { task, label: '1/before', atMs });
      repository.write('a/b/c/file', 'agent\n');
      repository.write('a/b/c/new', 'agent\n');
      rmSync(join(root, 'a/b/c/gone'));
      const plant = () => {
        renameSync(join(root, level), join(root, 'aside'));
        symlinkSync(outside, join(root, level));
      };
      if (!isLate) plant();
      const after = await takeShadow(place, { task, label: '1/after', atMs, basis: before.commit });
      if (isLate) plant();
      const states = { task, before: before.commit, after: after.commit, atMs };
      for (const isKept of [false, true])
        await undoRun(place, { ...states, label: '1/undo', isKept }).catch(() => null);
      await applyRun(place, { ...states, label: '1/apply' }).catch(() => null);
      const found = readdirSync(outside, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      assert.equal(found.length, below.length, `${found.map(({ name }) => name)}`);
      for (const name of below) assert.ok(existsSync(join(outside, name)), name);
    }
  });

test('a worktree goes without what its links lead to', () => {
  const outside = outsideLike(['file', 'folder/file']);
  const worktree = join(testFolder(), 'worktree');
  mkdirSync(join(worktree, 'inner'), { recursive: true });
  symlinkSync(outside, join(worktree, 'link'));
  symlinkSync(join(outside, 'folder'), join(worktree, 'inner', 'link'));
  removeWorktree(worktree);
  assert.ok(!existsSync(worktree) && existsSync(join(outside, 'folder/file')));
});

test('a pipe is taken away where git reads, and none behind a link', async () => {
  const repository = new TestRepository();
  const outside = testFolder();
  for (const folder of [repository.root, outside]) execFileSync('mkfifo', [join(folder, '.gitignore')]);
  symlinkSync(outside, join(repository.root, 'link'));
  await releasePipes(repository.root);
  assert.equal(existsSync(join(repository.root, '.gitignore')), false);
  assert.ok(existsSync(join(outside, '.gitignore')));
});
