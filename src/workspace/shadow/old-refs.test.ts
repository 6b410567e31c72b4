import assert from 'node:assert/strict';
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../../test/support/test-repository.ts';
import { undoRun } from '../undo/undo-run.ts';
import { moveOldRefs } from './old-refs.ts';
import { openPrivateRepository, storeOf } from './private-repository.ts';
import { type Shadow, takeShadow } from './take-shadow.ts';

const task = 'TASK-2026-02-09-001';
const atMs = 1_770_000_000_000;

/** A run, with the refs, objects and note that versions before 2026-11-16 left in the user's repository. */
async function oldRun(repository: TestRepository) {
  const before = await takeShadow(repository.place, { task, label: '1/before', atMs });
  repository.write('readme.md', 'the work\n');
  repository.write('new.txt', 'new\n');
  const after = await takeShadow(repository.place, { task, label: '1/after-1', atMs, basis: before.commit });
  const store = storeOf(repository.place);
  cpSync(store.objects, join(repository.root, '.git/objects'), { recursive: true });
  for (const { ref, commit } of [before, after]) repository.git('update-ref', ref, commit);
  writeFileSync(join(store.folder, 'shown'), `${after.ref} ${after.commit}`);
  return { before, after, store };
}

function undo(repository: TestRepository, before: Shadow, after: Shadow) {
  const refs = { before: before.ref, after: after.ref };
  const order = { task, label: '1/undo', before: before.commit, after: after.commit, isKept: false, atMs, refs };
  return undoRun(repository.place, order);
}

for (const form of ['loose', 'packed'] as const)
  test(`${form} refs of an earlier version leave the repository with the next shadow, and undo still works`, async () => {
    const repository = new TestRepository();
    const { before, after } = await oldRun(repository);
    const mine = repository.git('rev-parse', 'HEAD');
    repository.git('update-ref', 'refs/baton/mine', mine);
    repository.git('update-ref', 'refs/baton-notes/x', mine);
    if (form === 'packed') repository.git('pack-refs', '--all');
    await takeShadow(repository.place, { task: 'TASK-2026-02-09-002', label: '1/before', atMs });
    const left = repository.git('for-each-ref', '--format=%(refname)');
    assert.deepEqual(left.split('\n'), ['refs/baton-notes/x', 'refs/baton/mine', 'refs/heads/main']);
    repository.git('reflog', 'expire', '--expire=now', '--all');
    repository.git('gc', '-q', '--prune=now');
    assert.equal((await undo(repository, before, after)).kind, 'undone');
    assert.deepEqual(
      [repository.read('readme.md'), repository.git('status', '--porcelain')],
      ['one\ntwo\nthree\n', ''],
    );
  });

test('a ref whose commit the store has lost is copied before it is removed; one of somebody else stays', async () => {
  const repository = new TestRepository();
  const { before, after, store } = await oldRun(repository);
  rmSync(store.folder, { recursive: true });
  repository.git('update-ref', 'refs/baton/TASK-2026-02-09-777/1/before', after.commit);
  const own = await openPrivateRepository(repository.place);
  const moved = await moveOldRefs(own, repository.repository, (name) => name === task);
  assert.equal(moved, 2);
  const left = repository.git('for-each-ref', '--format=%(refname)', 'refs/baton');
  assert.equal(left, 'refs/baton/TASK-2026-02-09-777/1/before');
  repository.git('update-ref', '-d', left);
  repository.git('gc', '-q', '--prune=now');
  assert.equal((await undo(repository, before, after)).kind, 'undone');
  assert.equal(repository.git('status', '--porcelain'), '');
});

test('refs stay where git cannot remove them, and go with a later shadow', async () => {
  const repository = new TestRepository();
  const { after } = await oldRun(repository);
  const lock = join(repository.root, '.git', `${after.ref}.lock`);
  writeFileSync(lock, '');
  await takeShadow(repository.place, { task, label: '2/before', atMs });
  assert.equal(repository.git('for-each-ref', 'refs/baton').split('\n').length, 2);
  rmSync(lock);
  await takeShadow(repository.place, { task, label: '3/before', atMs });
  assert.equal(repository.git('for-each-ref', 'refs/baton'), '');
});
