import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestRepository } from '../../../test/support/test-repository.ts';
import { git } from '../git.ts';
import { openPrivateRepository } from './private-repository.ts';
import { takeShadow } from './take-shadow.ts';

const before = { task: 'TASK-2026-02-09-001', label: '1/before', atMs: 1_770_000_000_000 };

/** Makes the repository look as if it had thousands of loose objects: they are counted by a sample. */
function addLooseNames({ root }: TestRepository): void {
  const folder = join(root, '.git/objects/17');
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < 40; number++) writeFileSync(join(folder, String(number).padStart(38, '0')), '');
}

test('a HEAD of many loose objects is copied whole, in two packs', async () => {
  const repository = new TestRepository();
  for (let number = 0; number < 20; number++) repository.write(`many/${number % 5}/${number}`, `${number}`);
  const head = repository.commit('many');
  addLooseNames(repository);
  assert.equal((await takeShadow(repository.place, before)).commit, head);
  const { store, place } = await openPrivateRepository(repository.place);
  rmSync(join(repository.root, '.git/objects'), { recursive: true });
  assert.equal(readdirSync(join(store.objects, 'pack')).filter((name) => name.endsWith('.pack')).length, 2);
  await git(place, { args: ['rev-list', '--objects', '--quiet', '--no-walk', head] });
  assert.equal((await git(place, { args: ['cat-file', 'blob', `${head}:many/2/2`] })).stdout.toString(), '2');
});

for (const amount of ['few', 'many'])
  test(`an object of HEAD that does not hold the bytes of its name is not believed, among ${amount} loose ones`, async () => {
    const repository = new TestRepository();
    if (amount === 'many') addLooseNames(repository);
    const [good, bad] = [repository.git('rev-parse', 'HEAD:readme.md'), '../bad'];
    repository.write(bad, 'chosen by somebody else\n');
    const planted = repository.git('hash-object', '-w', bad);
    const fileOf = (object: string) => join(repository.root, '.git/objects', object.slice(0, 2), object.slice(2));
    chmodSync(fileOf(good), 0o644);
    writeFileSync(fileOf(good), readFileSync(fileOf(planted)));
    const shadow = await takeShadow(repository.place, before);
    const own = await openPrivateRepository(repository.place);
    const { stdout } = await git(own.place, { args: ['cat-file', 'blob', `${shadow.commit}:readme.md`] });
    assert.equal(stdout.toString(), repository.read('readme.md'));
  });

test('a HEAD that moved on is copied, and only what is new of it', async () => {
  const repository = new TestRepository();
  for (let number = 0; number < 200; number++) repository.write(`many/${number % 50}/${number}`, `${number}`);
  repository.commit('many');
  await takeShadow(repository.place, before);
  repository.write('many/1/1', 'changed');
  const head = repository.commit('one');
  assert.equal((await takeShadow(repository.place, before)).commit, head);
  const { store, place } = await openPrivateRepository(repository.place);
  const packs = readdirSync(join(store.objects, 'pack')).filter((name) => name.endsWith('.pack'));
  const sizes = packs.map((name) => statSync(join(store.objects, 'pack', name)).size).sort((a, b) => a - b);
  assert.ok(sizes.length === 2 && (sizes[0] ?? 0) * 3 < (sizes[1] ?? 0), String(sizes));
  assert.equal((await git(place, { args: ['cat-file', 'blob', `${head}:many/2/2`] })).stdout.toString(), '2');
});
