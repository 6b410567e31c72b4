import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../../test/support/test-repository.ts';
import { DIRECT_CHANGES_MAX } from '../../domain/limits.ts';
import { changedFiles } from '../diff-shadows.ts';
import { takeShadow } from './take-shadow.ts';

const order = { task: 'TASK-2026-02-09-001', label: '1/before', atMs: 1_770_000_000_000 };

/** Takes a shadow, works, takes another: the changes as the shadow lists them, and as git does. */
async function changesOf(repository: TestRepository, work: () => void) {
  const { place } = repository;
  const before = await takeShadow(place, order);
  work();
  const after = await takeShadow(place, { ...order, label: '1/after', basis: before.commit });
  const byGit = await changedFiles(place, { before: before.commit, after: after.commit });
  return { listed: after.changed, byGit: byGit.map(({ path, status }) => ({ path, status })) };
}

function madeRepository(): TestRepository {
  const repository = new TestRepository();
  for (const name of ['a.txt', 'a/b.txt', 'a-b.txt', 'kept', 'mode', 'to-link', 'to-folder', 'gone', 'folder/inner']) {
    repository.write(name, `${name}\n`);
  }
  repository.commit('files');
  return repository;
}

function workOn(repository: TestRepository): () => void {
  const at = (name: string) => join(repository.root, name);
  return () => {
    for (const name of ['a.txt', 'a/b.txt', 'a-b.txt', 'new', 'ünï "quoted"\n✓']) repository.write(name, 'changed\n');
    chmodSync(at('mode'), 0o755);
    for (const name of ['to-link', 'to-folder', 'gone', 'folder']) rmSync(at(name), { recursive: true });
    symlinkSync('/nowhere', at('to-link'));
    repository.write('to-folder/inside', 'x\n');
    repository.write('folder', 'a file now\n');
  };
}

test('a shadow lists the files that differ from its basis as git does', async () => {
  const repository = madeRepository();
  const { listed, byGit } = await changesOf(repository, workOn(repository));
  assert.deepEqual(listed, byGit);
  assert.equal(byGit.length, 12);
});

test('with a basis that differs from HEAD only what came since is listed', async () => {
  const repository = madeRepository();
  repository.write('kept', 'the user changed it\n');
  repository.write('theirs', 'the user made it\n');
  repository.write('reverted', 'the user made it\n');
  repository.write('gone', 'changed by the user, removed by the work\n');
  rmSync(join(repository.root, 'a.txt'));
  const { listed, byGit } = await changesOf(repository, () => {
    workOn(repository)();
    rmSync(join(repository.root, 'reverted'));
  });
  assert.deepEqual(listed, byGit);
  assert.equal(byGit.find(({ path }) => path === 'a.txt')?.status, 'added');
  assert.equal(byGit.find(({ path }) => path === 'reverted')?.status, 'deleted');
  assert.ok(!byGit.some(({ path }) => path === 'kept' || path === 'theirs'));
});

test('a file that goes back to HEAD, is ignored since, or cannot be read is listed as git lists it', async () => {
  const repository = madeRepository();
  repository.write('kept', 'the user changed it\n');
  repository.write('later-ignored', 'in the basis\n');
  repository.write('closed', 'in the basis\n');
  const { listed, byGit } = await changesOf(repository, () => {
    repository.write('kept', 'kept\n');
    repository.write('.gitignore', 'later-ignored\nnew-ignored\n');
    repository.write('later-ignored', 'changed\n');
    repository.write('new-ignored', 'x\n');
    chmodSync(join(repository.root, 'closed'), 0o000);
    mkdirSync(join(repository.root, 'nested'));
    writeFileSync(join(repository.root, 'nested', 'file'), 'x');
  });
  assert.deepEqual(listed, byGit);
  assert.ok(byGit.some(({ path }) => path === 'kept') && byGit.some(({ path }) => path === 'later-ignored'));
});

test('with more files than are compared one by one git is left to tell', async () => {
  const repository = madeRepository();
  const { listed, byGit } = await changesOf(repository, () => {
    for (let at = 0; at <= DIRECT_CHANGES_MAX; at++) repository.write(`many/${at}`, `${at}\n`);
  });
  assert.equal(listed, null);
  assert.equal(byGit.length, DIRECT_CHANGES_MAX + 1);
});
