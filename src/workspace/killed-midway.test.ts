import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../test/support/test-repository.ts';
import { takeShadow } from './shadow/take-shadow.ts';

const PLAY = new URL('../../test/support/work/play-workspace.ts', import.meta.url).pathname;
const task = 'TASK-2026-02-09-001';
const atMs = 1_770_000_000_000;

function play(verb: 'undo' | 'apply', what: unknown, crashAt = '') {
  const env = { ...process.env, BATON_CRASH: crashAt };
  const { signal, stdout, stderr } = spawnSync(process.execPath, [PLAY, verb, JSON.stringify(what)], { env });
  return { isKilled: signal === 'SIGKILL', said: `${stdout}${stderr}` };
}

/** A run that touched six files in six ways. */
async function sixChanges(repository: TestRepository) {
  for (const name of ['a', 'b', 'c/d', 'e']) repository.write(name, `${name} before`);
  symlinkSync('a', join(repository.root, 'link'));
  const before = await takeShadow(repository.place, { task, label: '1/before', atMs });
  const theirs = repository.fingerprint();
  repository.write('a', 'agent');
  rmSync(join(repository.root, 'b'));
  rmSync(join(repository.root, 'c'), { recursive: true });
  repository.write('c', 'a file now');
  rmSync(join(repository.root, 'link'));
  repository.write('link', 'a file now');
  repository.write('new/file', 'agent');
  const after = await takeShadow(repository.place, { task, label: '1/after', atMs, basis: before.commit });
  return { theirs, order: { task, label: '1/end', before: before.commit, after: after.commit, isKept: false, atMs } };
}

test('an undo that is killed after each of its files is ended by the next one, and leaves nothing behind', async () => {
  const repository = new TestRepository();
  const { theirs, order } = await sixChanges(repository);
  const what = { place: repository.place, order };
  let kills = 0;
  while (play('undo', what, 'workspace.file-moved:1').isKilled) assert.ok(++kills < 20, 'it never ends');
  assert.ok(kills >= 5, `only ${kills} kills`);
  assert.deepEqual(repository.fingerprint(), theirs);
  const [own = ''] = readdirSync(join(repository.dataFolder, 'workspaces'));
  const left = readdirSync(join(repository.dataFolder, 'workspaces', own)).filter((name) => name.startsWith('.baton'));
  assert.deepEqual(left, []);
});

test('applying that is killed half way is ended by the next', async () => {
  const repository = new TestRepository();
  const { order, theirs } = await sixChanges(repository);
  const worked = repository.files();
  assert.equal(play('undo', { place: repository.place, order }).said, 'undone');
  assert.deepEqual(repository.fingerprint(), theirs);
  for (const count of [1, 2, 3]) {
    assert.ok(play('apply', { place: repository.place, order }, `workspace.file-moved:${count}`).isKilled);
  }
  assert.equal(play('apply', { place: repository.place, order }).said, 'applied');
  assert.deepEqual(repository.files(), worked);
});
