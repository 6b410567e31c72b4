import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../../test/support/test-repository.ts';
import { changedFiles } from '../diff-shadows.ts';
import { undoRun } from '../undo/undo-run.ts';
import { type ObjectStore, storedNames } from './object-store.ts';
import { storeOf } from './private-repository.ts';
import { pruneStore } from './prune-store.ts';
import { type Shadow, takeShadow } from './take-shadow.ts';

const PLAY = new URL('../../../test/support/work/play-workspace.ts', import.meta.url).pathname;
const atMs = 1_770_000_000_000;
const nameOf = (number: number) => `TASK-2026-02-09-${String(number).padStart(3, '0')}`;

/** Runs that each change a file and leave one of their own. */
async function runs(repository: TestRepository, count: number): Promise<readonly (readonly [Shadow, Shadow])[]> {
  const made: (readonly [Shadow, Shadow])[] = [];
  for (let number = 1; number <= count; number++) {
    const task = nameOf(number);
    const before = await takeShadow(repository.place, { task, label: '1/before', atMs });
    repository.write('readme.md', `of ${task}\n`);
    repository.write(`made/${task}`, `${'x'.repeat(2_000)}${number}\n`);
    const after = await takeShadow(repository.place, { task, label: '1/after-1', atMs, basis: before.commit });
    made.push([before, after]);
  }
  return made;
}

function countObjects({ folder, objects }: ObjectStore): number {
  const gitDir = join(folder, 'check');
  if (!existsSync(gitDir)) execFileSync('git', ['init', '-q', '--bare', gitDir]);
  const env = { ...process.env, GIT_DIR: gitDir, GIT_OBJECT_DIRECTORY: objects };
  const counted = execFileSync('git', ['count-objects', '-v'], { env, cwd: folder, encoding: 'utf8' });
  const number = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(counted)?.[1]);
  return number('count') + number('in-pack');
}

const keepLast = (count: number, last: number) => (ref: string) => Number(/-(\d{3})\//.exec(ref)?.[1]) > count - last;

test('what no name needs is removed, and what stays is undone as before', async () => {
  const repository = new TestRepository();
  const made = await runs(repository, 8);
  const store = storeOf(repository.place);
  const before = countObjects(store);
  const order = { isKept: keepLast(8, 2), trees: [], isDry: false };
  const planned = await pruneStore(store, { ...order, isDry: true });
  assert.equal(countObjects(store), before, 'a dry run removes nothing');
  const pruned = await pruneStore(store, order);
  assert.deepEqual([pruned.names, pruned.objects], [planned.names, planned.objects]);
  assert.deepEqual([pruned.names, countObjects(store)], [12, before - pruned.objects]);
  assert.ok(pruned.objects > 20 && pruned.bytes > 0, JSON.stringify(pruned));
  assert.equal(storedNames(store).length, 4);
  for (const [number, [first, last]] of [...made.entries()].slice(-2).reverse()) {
    const refs = { before: first.ref, after: last.ref };
    const about = { task: nameOf(number + 1), label: '1/undo', isKept: false, atMs, refs };
    const undone = await undoRun(repository.place, { ...about, before: first.commit, after: last.commit });
    assert.equal(undone.kind, 'undone', JSON.stringify(undone));
  }
  assert.equal(repository.read('readme.md'), `of ${nameOf(6)}\n`);
  const again = await runs(repository, 1);
  assert.equal((await changedFiles(repository.place, shadowsOf(again[0]))).length, 1);
  assert.deepEqual(await pruneStore(store, { ...order, isKept: () => true }), { names: 0, objects: 0, bytes: 0 });
});

function shadowsOf(pair: readonly [Shadow, Shadow] | undefined) {
  return { before: pair?.[0].commit ?? '', after: pair?.[1].commit ?? '' };
}

test('packs are written again without what nobody needs, and a HEAD that is needed stays', async () => {
  const repository = new TestRepository();
  for (let number = 0; number < 50; number++) repository.write(`lib/${number}`, `${number}\n`.repeat(100));
  repository.commit('first');
  await runs(repository, 1);
  repository.git('checkout', '-q', '.');
  repository.git('clean', '-fdq');
  for (let number = 0; number < 50; number++) repository.write(`lib/${number}`, `${number} again\n`.repeat(100));
  repository.commit('second');
  const task = nameOf(2);
  const second = await takeShadow(repository.place, { task, label: '1/before', atMs });
  const store = storeOf(repository.place);
  const had = countObjects(store);
  const pruned = await pruneStore(store, { isKept: (ref) => ref.includes(task), trees: [], isDry: false });
  assert.ok(pruned.objects > 50, JSON.stringify(pruned));
  assert.equal(countObjects(store), had - pruned.objects);
  assert.deepEqual(await pruneStore(store, { isKept: () => true, trees: [], isDry: false }), {
    names: 0,
    objects: 0,
    bytes: 0,
  });
  assert.equal(repository.gitWithShadows('cat-file', 'blob', `${second.commit}:lib/7`).slice(0, 7), '7 again');
  assert.equal((await takeShadow(repository.place, { task, label: '2/before', atMs })).commit, second.commit);
});

test('shadows that are taken while the store is pruned are whole', async () => {
  const repository = new TestRepository();
  await runs(repository, 4);
  const store = storeOf(repository.place);
  const pruning = [1, 2, 3].map(() =>
    pruneStore(store, { isKept: (ref) => ref.includes('-900'), trees: [], isDry: false }),
  );
  const shadows: Shadow[] = [];
  for (let number = 0; number < 6; number++) {
    // The same bytes as a run that is being removed: git does not write an object that is there.
    repository.write('readme.md', `of ${nameOf((number % 4) + 1)}\n`);
    shadows.push(await takeShadow(repository.place, { task: 'TASK-2026-02-09-900', label: `${number}/before`, atMs }));
    pruning.push(pruneStore(store, { isKept: (ref) => ref.includes('-900'), trees: [], isDry: false }));
  }
  await Promise.all(pruning);
  for (const [number, { commit }] of shadows.entries()) {
    const text = repository.gitWithShadows('cat-file', 'blob', `${commit}:readme.md`);
    assert.equal(text, `of ${nameOf((number % 4) + 1)}`);
    repository.gitWithShadows('rev-list', '--objects', '--quiet', '--no-walk', commit);
  }
});

test('pruning that is killed at any point loses nothing that has a name, and the next one finishes it', async () => {
  const repository = new TestRepository();
  const made = await runs(repository, 6);
  const { place } = repository;
  const prune = (crashAt: string) =>
    spawnSync(process.execPath, [PLAY, 'prune', JSON.stringify({ place, order: { kept: [nameOf(6)] } })], {
      env: { ...process.env, BATON_CRASH: crashAt },
      encoding: 'utf8',
    });
  for (const point of [
    'workspace.clean-names:1',
    'workspace.clean-packed:1',
    'workspace.clean-removed:1',
    'workspace.clean-removed:2',
    'workspace.clean-removed:5',
  ]) {
    assert.equal(prune(point).signal, 'SIGKILL', point);
    assert.equal((await changedFiles(place, shadowsOf(made.at(-1)))).length, 2, point);
  }
  assert.equal(prune('').stdout, 'pruned');
  assert.deepEqual(storedNames(storeOf(place)).length, 2);
  const { objects } = await pruneStore(storeOf(place), { isKept: () => true, trees: [], isDry: true });
  assert.equal(objects, 0);
});

test('a repository without a commit is cleaned up too: its states stand on nothing', async () => {
  const repository = new TestRepository({ isEmpty: true });
  const made = await runs(repository, 3);
  const pruned = await pruneStore(storeOf(repository.place), { isKept: keepLast(3, 1), trees: [], isDry: false });
  assert.ok(pruned.names > 0);
  const [before, after] = made.at(-1) as readonly [Shadow, Shadow];
  const changes = await changedFiles(repository.place, { before: before.commit, after: after.commit });
  assert.equal(changes.length, 2);
});
